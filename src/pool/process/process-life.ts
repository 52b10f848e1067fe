export type ProcessLifeOptions<Blame> = {
  /** In sentences: "The decoder process …". */
  name: string;
  startTimeoutMs: number;
  /** How long a process with work may be silent before it is killed. */
  silenceTimeoutMs: number;
  /** Whom a silent process is blamed on. */
  silenceBlame?: Blame;
  hasWork(): boolean;
  terminate(): void;
};

export type Death<Blame> = {
  cause: Error;
  /** It was retired or shut down, so nothing went wrong. */
  planned?: boolean;
  /** Which work made it necessary, where that is known. */
  blame?: Blame | undefined;
};

/** Whether a process starts in time, whether it speaks while it has work, and why it was killed. */
export type ProcessLife<Blame> = {
  readonly ended: Promise<void>;
  /** It has said that it is ready, and is not about to die. */
  isReady(): boolean;
  wasReady(): boolean;
  /** It is ready. False if it was ready before, or is about to die. */
  begin(): boolean;
  /** It has spoken, or its work has changed: its silence is measured anew. */
  expect(): void;
  kill(death: Death<Blame>): void;
  /** The process is gone. Returns why it was killed; otherwise `exit` is the cause. */
  end(exit: Error): Death<Blame>;
};

export function createProcessLife<Blame>(options: ProcessLifeOptions<Blame>): ProcessLife<Blame> {
  let state: 'starting' | 'ready' | 'dying' = 'starting';
  let wasReady = false;
  let death: Death<Blame> | undefined;
  let silence: NodeJS.Timeout | undefined;
  let markEnded = () => {};
  const ended = new Promise<void>((resolve) => {
    markEnded = resolve;
  });
  const startDeadline = after(options.startTimeoutMs, () =>
    kill({ cause: new Error(`The ${options.name} was not ready after ${options.startTimeoutMs} ms.`) }),
  );

  return {
    ended,
    isReady: () => state === 'ready',
    wasReady: () => wasReady,

    begin() {
      clearTimeout(startDeadline);
      if (state !== 'starting') return false;
      state = 'ready';
      wasReady = true;
      return true;
    },

    expect: () => expect(4),
    kill,

    end(exit) {
      state = 'dying';
      clearTimeout(startDeadline);
      clearTimeout(silence);
      markEnded();
      return death ?? { cause: exit };
    },
  };

  /**
   * A process at work reports its memory again and again, so that one that hangs can be told from a slow one. The time is measured in
   * four quarters: when the machine slept, and this process with it, the reports that have not been read yet do not count as missing.
   */
  function expect(quarters: number): void {
    clearTimeout(silence);
    if (!options.hasWork()) return;
    const cause = new Error(`The ${options.name} said nothing for ${options.silenceTimeoutMs} ms.`);
    silence = after(options.silenceTimeoutMs / 4, () =>
      quarters === 1 ? kill({ cause, blame: options.silenceBlame }) : expect(quarters - 1),
    );
  }

  function kill(reason: Death<Blame>): void {
    death ??= reason;
    state = 'dying';
    options.terminate();
  }
}

export function after(delayMs: number, act: () => void): NodeJS.Timeout {
  return setTimeout(act, delayMs).unref();
}
