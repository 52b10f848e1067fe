/** One decoding works at a time, so that its cost is known and all of them go on evenly. */
export type Turns = {
  /** Resolves when it is the caller's turn, which lasts until it gives it on. */
  take(): Promise<void>;
  give(): void;
};

export function createTurns(): Turns {
  const waiting: (() => void)[] = [];
  let taken = false;

  return {
    async take() {
      if (taken) await new Promise<void>((resolve) => waiting.push(resolve));
      taken = true;
    },
    /** The next turn begins after messages have been read: they may bring bytes, or end a decoding. */
    give() {
      setImmediate(() => {
        const next = waiting.shift();
        if (next) next();
        else taken = false;
      });
    },
  };
}
