type Node = { [key: string]: unknown };

/** An OpenAPI document in which each schema that has a title stands once, under that name, and is referred to elsewhere. */
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
    // Two different schemas may share a title; the second is then left where it is.
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
