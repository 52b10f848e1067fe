type Attributes = Record<string, string | number>;

/** One element; children are elements already, text is escaped by `svgText`. */
export function element(name: string, attributes: Attributes, children: readonly string[] = []): string {
  const written = Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${typeof value === 'number' ? shortNumber(value) : escapeXml(value)}"`)
    .join('');
  return children.length === 0 ? `<${name}${written}/>` : `<${name}${written}>${children.join('')}</${name}>`;
}

export function svgText(text: string, attributes: Attributes): string {
  return element('text', attributes, [escapeXml(text)]);
}

function shortNumber(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function escapeXml(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return text.replace(/[&<>"]/g, (character) => entities[character]!);
}
