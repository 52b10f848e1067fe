import type { SessionLimits } from './session-limits.ts';

type Options = {
  limits: Pick<SessionLimits, 'warnBufferedSeconds' | 'maxBufferedSeconds'>;
  /** Up to where the recogniser is done with the audio. */
  doneSeconds(): number;
  /** Audio comes much quicker than it is spoken. Called once, until it no longer does. */
  onAhead(): void;
  onTooFarAhead(): void;
};

/** The audio of a stream that was received and not yet recognised. */
export type AudioBacklog = {
  readonly seconds: number;
  /** A frame has come that lasts about so long. */
  add(estimatedSeconds: number): void;
  /** It was decoded, and is counted by its samples from now on. */
  decoded(estimatedSeconds: number): void;
  addDecoded(seconds: number): void;
};

export function createAudioBacklog({ limits, doneSeconds, onAhead, onTooFarAhead }: Options): AudioBacklog {
  let firstAudioAt: number | undefined;
  let decodedSeconds = 0;
  /** Received and not yet decoded, by the decoder's estimate. */
  let undecodedSeconds = 0;
  let hasWarned = false;
  const seconds = () => Math.max(0, decodedSeconds + undecodedSeconds - doneSeconds());

  /** Only audio that comes quicker than it is spoken counts: a slow recogniser is not the client's fault. */
  const check = (startedAt: number) => {
    const elapsedSeconds = (performance.now() - startedAt) / 1000;
    const ahead = Math.min(seconds(), decodedSeconds + undecodedSeconds - elapsedSeconds);
    if (ahead > limits.maxBufferedSeconds) onTooFarAhead();
    else if (ahead > limits.warnBufferedSeconds && !hasWarned) {
      hasWarned = true;
      onAhead();
    } else if (ahead < limits.warnBufferedSeconds / 2) hasWarned = false;
  };

  return {
    get seconds() {
      return seconds();
    },
    add(estimatedSeconds) {
      firstAudioAt ??= performance.now();
      undecodedSeconds += estimatedSeconds;
      check(firstAudioAt);
    },
    decoded(estimatedSeconds) {
      undecodedSeconds -= estimatedSeconds;
    },
    addDecoded(seconds) {
      decodedSeconds += seconds;
    },
  };
}
