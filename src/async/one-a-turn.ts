/**
 * Runs what comes together one in each turn of the event loop, so that others are served in between: for work that cannot be divided
 * and is short, where many can ask for it at once. Those who ask take turns by name, so that nobody waits behind all of another's.
 */
export type OneATurn = <Result>(work: () => Result, name?: string) => Promise<Result>;

export function createOneATurn(): OneATurn {
  /** In the order of their turns: whoever had one goes to the end. */
  const waiting = new Map<string, (() => void)[]>();
  const next = () => {
    const [name, works] = waiting.entries().next().value!;
    waiting.delete(name);
    const work = works.shift()!;
    if (works.length > 0) waiting.set(name, works);
    if (waiting.size > 0) setImmediate(next);
    work();
  };
  return (work, name = '') =>
    new Promise((resolve, reject) => {
      const run = () => {
        try {
          resolve(work());
        } catch (error) {
          reject(error);
        }
      };
      if (waiting.size === 0) setImmediate(next);
      const works = waiting.get(name);
      if (works) works.push(run);
      else waiting.set(name, [run]);
    });
}
