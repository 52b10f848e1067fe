/** How many there are of each name at the moment. Names of which there are none are forgotten. */
export type Tally = { of(name: string): number; add(name: string): void; remove(name: string): void };

export function createTally(): Tally {
  const counts = new Map<string, number>();
  const of = (name: string) => counts.get(name) ?? 0;
  return {
    of,
    add: (name) => void counts.set(name, of(name) + 1),
    remove(name) {
      if (of(name) > 1) counts.set(name, of(name) - 1);
      else counts.delete(name);
    },
  };
}
