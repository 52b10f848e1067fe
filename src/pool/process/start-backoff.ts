/** How long to wait before the next process starts, and when to stop trying. */
export type StartBackoff = {
  /** A process became ready. */
  ready(): void;
  /** A process answered a job. */
  worked(): void;
  ended(end: { wasReady: boolean; answered: number }): void;
  delayMs(): number;
  exhausted(): boolean;
  reset(): void;
};

const firstDelayMs = 100;
const longestDelayMs = 5_000;

/** One death is replaced at once; processes that die without answering anything are replaced ever more slowly. */
export function createStartBackoff(startAttempts: number): StartBackoff {
  let failedStarts = 0;
  let idleDeaths = 0;
  return {
    ready() {
      failedStarts = 0;
    },
    worked() {
      idleDeaths = 0;
    },
    ended({ wasReady, answered }) {
      if (!wasReady) failedStarts++;
      if (answered === 0) idleDeaths++;
    },
    delayMs: () => (idleDeaths < 2 ? 0 : Math.min(firstDelayMs * 2 ** (idleDeaths - 2), longestDelayMs)),
    exhausted: () => failedStarts >= startAttempts,
    reset() {
      failedStarts = 0;
      idleDeaths = 0;
    },
  };
}
