/** The Markdown that our guides are written in: headings, paragraphs, lists, tables, code, and links, as HTML. */
export function renderMarkdown(text: string): string {
  const lines = text.split('\n');
  const html: string[] = [];
  let at = 0;

  const takeWhile = (matches: (line: string) => boolean): string[] => {
    const from = at;
    while (at < lines.length && matches(lines[at]!)) at += 1;
    return lines.slice(from, at);
  };

  while (at < lines.length) {
    const line = lines[at]!;
    const heading = /^(#{1,4}) (.*)$/.exec(line);
    if (line.trim() === '') at += 1;
    else if (heading) {
      const level = heading[1]!.length;
      html.push(`<h${level} id="${anchorOf(heading[2]!)}">${renderInline(heading[2]!)}</h${level}>`);
      at += 1;
    } else if (line.startsWith('```')) {
      at += 1;
      const code = takeWhile((inside) => !inside.startsWith('```'));
      at += 1;
      html.push(`<pre tabindex="0"><code>${escapeHtml(code.join('\n'))}</code></pre>`);
    } else if (line.startsWith('|')) html.push(renderTable(takeWhile((row) => row.startsWith('|'))));
    else if (isItem(line)) html.push(renderList(takeWhile((item) => isItem(item) || /^ {2,}\S/.test(item))));
    else html.push(`<p>${renderInline(takeWhile(isProse).join(' '))}</p>`);
  }
  return html.join('\n');
}

export function escapeHtml(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return text.replace(/[&<>"]/g, (character) => entities[character]!);
}

function isItem(line: string): boolean {
  return /^(- |\d+\. )/.test(line);
}

function isProse(line: string): boolean {
  return line.trim() !== '' && !/^(#{1,4} |```|\|)/.test(line) && !isItem(line);
}

/** Code first, since nothing inside it means anything. */
function renderInline(text: string): string {
  return text
    .split(/(`[^`]+`)/)
    .map((piece) =>
      /^`[^`]+`$/.test(piece) ? `<code>${escapeHtml(piece.slice(1, -1))}</code>` : prose(piece),
    )
    .join('');
}

function prose(text: string): string {
  return escapeHtml(text)
    .replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, (_match, label: string, target: string) => link(label, target))
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replace(/\*([^*\s][^*]*)\*/g, '<em>$1</em>');
}

/** A bare name is another guide; nothing but pages can be linked to. */
function link(label: string, target: string): string {
  if (/^https?:\/\//.test(target)) return `<a href="${target}" rel="noreferrer">${label}</a>`;
  if (/^[\w-]+(#[\w-]+)?$/.test(target)) return `<a href="/docs/${target}">${label}</a>`;
  return /^[/#]/.test(target) ? `<a href="${target}">${label}</a>` : label;
}

function renderTable(rows: readonly string[]): string {
  const cells = (row: string) =>
    row
      .replace(/^\||\|\s*$/g, '')
      .split(/(?<!\\)\|/)
      .map((cell) => renderInline(cell.trim().replaceAll('\\|', '|')));
  const [head = '', , ...body] = rows;
  const element = (tag: 'th' | 'td', cell: string) => {
    // An empty header would be read out as one.
    const name = cell === '' ? 'td' : tag;
    return `<${name}>${cell}</${name}>`;
  };
  const row = (tag: 'th' | 'td') => (text: string) =>
    `<tr>${cells(text)
      .map((cell) => element(tag, cell))
      .join('')}</tr>`;
  const inside = `<thead>${row('th')(head)}</thead><tbody>${body.map(row('td')).join('')}</tbody>`;
  return `<div class="wide" tabindex="0"><table>${inside}</table></div>`;
}

function renderList(lines: readonly string[]): string {
  const tag = /^\d/.test(lines[0]!) ? 'ol' : 'ul';
  const items: string[] = [];
  for (const line of lines) {
    if (isItem(line)) items.push(line.replace(/^(- |\d+\. )/, ''));
    else items[items.length - 1] += ` ${line.trim()}`;
  }
  return `<${tag}>${items.map((item) => `<li>${renderInline(item)}</li>`).join('')}</${tag}>`;
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');
}
