/**
 * Runs what comes together one in each turn of the event loop, in its order, so that others are served in between: for work
 * that cannot be divided and is short, where many can ask for it at once.
 */
export type OneATurn = <Result>(work: () => Result) => Promise<Result>;

export function createOneATurn(): OneATurn {
  const waiting: (() => void)[] = [];
  const next = () => {
    const work = waiting.shift()!;
    if (waiting.length > 0) setImmediate(next);
    work();
  };
  return (work) =>
    new Promise((resolve, reject) => {
      waiting.push(() => {
        try {
          resolve(work());
        } catch (error) {
          reject(error);
        }
      });
      if (waiting.length === 1) setImmediate(next);
    });
}
