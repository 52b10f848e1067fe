import { createStreamPace } from './stream-pace.ts';

/** A partial shows what is being said, a speculative window may become a final, a final is what was said. */
export type WindowKind = 'partial' | 'speculative' | 'final';

/** The one window of a stream that is being recognised. */
export type RunningWindow = {
  readonly kind: WindowKind | undefined;
  /** Resolves to undefined when the window was abandoned or failed. */
  start<Result>(
    kind: WindowKind,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result | undefined>;
  abandon(): void;
  /** Resolves when the window is done and `onFree` has been called. */
  done(): Promise<void>;
  /** How much new audio there must be before another partial. */
  readonly intervalSeconds: number;
};

type Options = {
  /** Ends all work. */
  stop: AbortSignal;
  /** A clock in milliseconds. */
  now(): number;
  onFree(): void;
  onFailure(error: unknown): void;
};

export function createRunningWindow({ stop, now, onFree, onFailure }: Options): RunningWindow {
  const pace = createStreamPace();
  let current: { kind: WindowKind; abandoned: AbortController } | undefined;
  let working: Promise<void> = Promise.resolve();

  return {
    get kind() {
      return current?.kind;
    },
    start(kind, work) {
      const abandoned = new AbortController();
      const signal = AbortSignal.any([stop, abandoned.signal]);
      const startedAt = now();
      current = { kind, abandoned };
      const result = work(signal).then(
        (value) => {
          if (kind !== 'final') pace.note((now() - startedAt) / 1000);
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
    abandon: () => current?.abandoned.abort(),
    done: () => working,
    get intervalSeconds() {
      return pace.intervalSeconds;
    },
  };
}
