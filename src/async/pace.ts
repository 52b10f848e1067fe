export type PaceOptions = {
  /** What may come in the long run. */
  perSecond: number;
  /** So much may come at once. */
  burst: number;
  /** Nobody is asked to wait longer than this, whatever came before. */
  longestMs?: number;
  now?(): number;
};

export type Pace = {
  count(amount?: number): void;
  /** How long nothing more should come, in milliseconds: what came is then as much as may have come. 0 when it is no more than that. */
  aheadMs(): number;
};

/** A bucket that empties evenly: the leaky bucket as a meter (ITU-T I.371). */
export function createPace(options: PaceOptions): Pace {
  const { perSecond, burst, longestMs = Number.POSITIVE_INFINITY, now = () => performance.now() } = options;
  const mostHeld = burst + (longestMs / 1000) * perSecond;
  let held = 0;
  let countedAt = now();
  const drain = () => {
    const time = now();
    held = Math.max(0, held - ((time - countedAt) / 1000) * perSecond);
    countedAt = time;
  };
  return {
    count(amount = 1) {
      drain();
      held = Math.min(mostHeld, held + amount);
    },
    aheadMs() {
      drain();
      return (Math.max(0, held - burst) / perSecond) * 1000;
    },
  };
}
