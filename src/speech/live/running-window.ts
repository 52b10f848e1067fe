import { createStreamPace } from './stream-pace.ts';

/** Partials show what is being said, hopeful windows may become finals, finals are what was said. */
export type WindowKind = 'partial' | 'hopeful' | 'final';

/** A stream's one window under way. */
export type RunningWindow = {
  readonly kind: WindowKind | undefined;
  /** Gives nothing when the window was given up or failed. */
  start<Result>(
    kind: WindowKind,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result | undefined>;
  giveUp(): void;
  /** Resolves when the window under way is done, and whatever follows on it has been begun. */
  done(): Promise<void>;
  /** New audio that is worth another partial. */
  readonly intervalSeconds: number;
};

type Options = {
  /** Ends all work. */
  stop: AbortSignal;
  onFree(): void;
  onFailure(error: unknown): void;
};

export function createRunningWindow({ stop, onFree, onFailure }: Options): RunningWindow {
  const pace = createStreamPace();
  let current: { kind: WindowKind; given: AbortController } | undefined;
  let working: Promise<void> = Promise.resolve();

  return {
    get kind() {
      return current?.kind;
    },
    start(kind, work) {
      const given = new AbortController();
      const signal = AbortSignal.any([stop, given.signal]);
      const startedAt = performance.now();
      current = { kind, given };
      const result = work(signal).then(
        (value) => {
          if (kind !== 'final') pace.note((performance.now() - startedAt) / 1000);
          return value;
        },
        (error) => {
          if (!signal.aborted) onFailure(error);
          return undefined;
        },
      );
      working = result.then(() => {
        current = undefined;
        onFree();
      });
      return result;
    },
    giveUp: () => current?.given.abort(),
    done: () => working,
    get intervalSeconds() {
      return pace.intervalSeconds;
    },
  };
}
