type Node = { [key: string]: unknown };

/** Moves every schema with a title to `components/schemas` of the OpenAPI document, and refers to it where it was. */
export function nameSchemas(document: Node): Node {
  const schemas: Node = {};
  const written = new Map<string, string>();

  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(([key, child]) => [key, visit(child)]);
    const node = Object.fromEntries(entries) as Node;
    const name = nameOf(node);
    if (name === undefined) return node;
    const text = JSON.stringify(node);
    // Two different schemas may have the same title. Then the second one stays where it is.
    if ((written.get(name) ?? text) !== text) return node;
    written.set(name, text);
    schemas[name] = node;
    return { $ref: `#/components/schemas/${name}` };
  };

  const { info, ...rest } = document;
  const { components, ...visited } = visit(rest) as { components: Node };
  return { info, ...visited, components: { ...components, schemas } };
}

function nameOf({ title, type, anyOf }: Node): string | undefined {
  const isSchema = type === 'object' || anyOf !== undefined;
  if (!isSchema || typeof title !== 'string') return undefined;
  const words = title.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  return words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('');
}
