/** How much audio is done in a second in which anything is done, several jobs side by side counting together. */
export type SpeedMeter = {
  measure<Result>(audioSeconds: number, work: () => Promise<Result>): Promise<Result>;
  /** Zero before anything was done. */
  read(): number;
};

/** What was longer ago than some minutes of work counts less and less. */
const memoryMs = 120_000;

export function createSpeedMeter(clock: { now(): number } = performance): SpeedMeter {
  let underWay = 0;
  let since = 0;
  let workedMs = 0;
  let doneSeconds = 0;
  const countTime = () => {
    const now = clock.now();
    if (underWay > 0) workedMs += now - since;
    since = now;
    if (workedMs < 2 * memoryMs) return;
    workedMs /= 2;
    doneSeconds /= 2;
  };

  return {
    async measure(audioSeconds, work) {
      countTime();
      underWay++;
      try {
        const result = await work();
        doneSeconds += audioSeconds;
        return result;
      } finally {
        countTime();
        underWay--;
      }
    },
    read() {
      countTime();
      return workedMs === 0 ? 0 : (doneSeconds * 1000) / workedMs;
    },
  };
}
