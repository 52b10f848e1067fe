/** Knows which methods each path has, for requests with another method. */
export function createKnownPaths() {
  const paths = new Map<string, { pattern: RegExp; methods: Set<string> }>();

  return {
    add(url: string, method: string | string[]): void {
      const path = paths.get(url) ?? { pattern: patternOf(url), methods: new Set(['OPTIONS']) };
      for (const name of [method].flat()) path.methods.add(name);
      paths.set(url, path);
    },

    /** As the Allow header has it; undefined when there is no such path. */
    methodsOf(url: string): string | undefined {
      const path = url.split('?', 1)[0]!;
      for (const { pattern, methods } of paths.values()) {
        if (pattern.test(path)) return [...methods].sort().join(', ');
      }
      return undefined;
    },
  };
}

function patternOf(url: string): RegExp {
  const parts = url
    .split('/')
    .map((part) => (part.startsWith(':') ? '[^/]+' : part.replace(/[^\w-]/g, '\\$&')));
  return new RegExp(`^${parts.join('/')}$`);
}
