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

/** A process that dies is replaced at once. When several in a row die without an answer, the delay grows. */
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
