import { Marked, type Tokens } from 'marked';

/** A guide, written in GitHub's Markdown, as HTML. What is HTML in the guide already, such as a comment, is left out. */
export function renderMarkdown(text: string): string {
  return marked.parse(text, { async: false });
}

export function escapeHtml(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return text.replace(/[&<>"]/g, (character) => entities[character]!);
}

const marked = new Marked({
  gfm: true,
  renderer: {
    html: () => '',
    heading({ tokens, depth, text }) {
      return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    /** A file of docs/ is another guide; nothing but pages can be linked to. */
    link({ href, tokens }) {
      const label = this.parser.parseInline(tokens);
      if (/^https?:\/\//.test(href)) return `<a href="${escapeHtml(href)}" rel="noreferrer">${label}</a>`;
      const [, guide, anchor = ''] = /^(?:(?:\.\.|guides)\/)?([\w-]+)(?:\.md)?(#[\w-]+)?$/.exec(href) ?? [];
      if (guide) return `<a href="/docs/${guide}${anchor}">${label}</a>`;
      return /^[/#]/.test(href) ? `<a href="${escapeHtml(href)}">${label}</a>` : label;
    },
    /** What scrolls must be reachable with the keyboard. */
    code: ({ text }) => `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`,
    table({ header, rows }) {
      const row = (cells: Tokens.TableCell[]) =>
        `<tr>${cells.map((cell) => this.tablecell(cell)).join('')}</tr>`;
      const body = `<thead>${row(header)}</thead><tbody>${rows.map(row).join('')}</tbody>`;
      return `<div class="wide" tabindex="0"><table>${body}</table></div>\n`;
    },
    tablecell({ header, tokens }) {
      // An empty header would be read out as one.
      const name = header && tokens.length > 0 ? 'th' : 'td';
      return `<${name}>${this.parser.parseInline(tokens)}</${name}>`;
    },
  },
});

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');
}
