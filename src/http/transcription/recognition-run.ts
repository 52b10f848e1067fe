import { createNotifier } from '../../async/notifier.ts';
import { type DecidedFileOptions, toTranscribeOptions } from '../../options/file-options.ts';
import type { Recogniser } from '../../speech/recogniser.ts';
import type { TranscribeOptions } from '../../speech/transcribe.ts';
import type { Segment, TranscribedRecording } from '../../speech/transcript/segment.ts';

/** A running recognition. It goes on even if nobody reads its segments, because they are small. */
export type RecognitionRun = {
  readonly options: DecidedFileOptions;
  /** The segments that have been recognised so far. */
  readonly segments: readonly Segment[];
  /** Rejects when recognition fails. Nobody needs to handle the rejection. */
  readonly ended: Promise<TranscribedRecording>;
  /** Resolves when the next segment is there. */
  changed(): Promise<void>;
  cancel(): void;
};

type RunOptions = {
  recogniser: Pick<Recogniser, 'transcribe'>;
  bytes: AsyncIterable<Uint8Array>;
  options: DecidedFileOptions;
  requestId: string;
  hurried: boolean;
  signal: AbortSignal;
  onDecoded: NonNullable<TranscribeOptions['onDecoded']>;
};

export function startRecognition({
  recogniser,
  bytes,
  options,
  signal,
  ...rest
}: RunOptions): RecognitionRun {
  const segments: Segment[] = [];
  const cancelled = new AbortController();
  const change = createNotifier();
  const ended = pull();
  ended.catch(() => {});
  return {
    options,
    segments,
    ended,
    changed: change.next,
    cancel: () => cancelled.abort(new Error('Recognition was started over.')),
  };

  async function pull(): Promise<TranscribedRecording> {
    const recognised = recogniser.transcribe(bytes, {
      ...toTranscribeOptions(options),
      ...rest,
      signal: AbortSignal.any([signal, cancelled.signal]),
    });
    for (;;) {
      const next = await recognised.next();
      if (next.done) return next.value;
      segments.push(next.value);
      change.notify();
    }
  }
}

/** How many segments are handed on together, at most. Formatting more at once would hold up other requests. */
const batchSize = 32;

/** All segments from the first one on, as soon as they are there: those that have come meanwhile, together. */
export async function* batchesOf(
  run: RecognitionRun,
): AsyncGenerator<readonly Segment[], TranscribedRecording> {
  for (let next = 0; ; ) {
    const batch = run.segments.slice(next, next + batchSize);
    next += batch.length;
    if (batch.length > 0) {
      yield batch;
      continue;
    }
    const end = await Promise.race([run.ended, run.changed()]);
    if (end && next === run.segments.length) return end;
  }
}

/** The same, one by one. */
export async function* segmentsOf(run: RecognitionRun): AsyncGenerator<Segment, TranscribedRecording> {
  const batches = batchesOf(run);
  for (;;) {
    const next = await batches.next();
    if (next.done) return next.value;
    yield* next.value;
  }
}
