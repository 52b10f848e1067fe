import { Marked, type Tokens } from 'marked';

/** Renders a guide in GitHub's Markdown as HTML. HTML inside the guide, such as a comment, is left out. */
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
    /** A link to a file of docs/ becomes a link to that guide. Links that do not lead to a page become plain text. */
    link({ href, tokens }) {
      const label = this.parser.parseInline(tokens);
      if (/^https?:\/\//.test(href)) return `<a href="${escapeHtml(href)}" rel="noreferrer">${label}</a>`;
      const [, guide, anchor = ''] = /^(?:(?:\.\.|guides)\/)?([\w-]+)(?:\.md)?(#[\w-]+)?$/.exec(href) ?? [];
      if (guide) return `<a href="/docs/${guide}${anchor}">${label}</a>`;
      return /^[/#]/.test(href) ? `<a href="${escapeHtml(href)}">${label}</a>` : label;
    },
    /** `tabindex` lets people without a mouse scroll the code. */
    code: ({ text }) => `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`,
    table({ header, rows }) {
      const row = (cells: Tokens.TableCell[]) =>
        `<tr>${cells.map((cell) => this.tablecell(cell)).join('')}</tr>`;
      const body = `<thead>${row(header)}</thead><tbody>${rows.map(row).join('')}</tbody>`;
      return `<div class="wide" tabindex="0"><table>${body}</table></div>\n`;
    },
    tablecell({ header, tokens }) {
      // Screen readers would read out an empty header.
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
