import type { FastifyReply } from 'fastify';
import type { Lease } from '../../accounts/admission.ts';
import { persistently } from '../../accounts/ledger/persistently.ts';
import { toServiceError } from '../../errors/framework-errors.ts';
import { errorBody } from '../../errors/service-error.ts';
import { createEventWriter } from '../../formats/file-events.ts';
import { formatTranscript } from '../../formats/response-format.ts';
import type { DecidedFileOptions } from '../../options/file-options.ts';
import { collectTranscript } from '../../speech/transcript/collect-transcript.ts';
import type { Segment } from '../../speech/transcript/segment.ts';
import { ClientGone } from './connection-signal.ts';
import { openEventStream } from './event-stream.ts';
import { batchesOf, type RecognitionRun, segmentsOf } from './recognition-run.ts';

type AnswerOptions = {
  reply: FastifyReply;
  options: DecidedFileOptions;
  run: RecognitionRun;
  lease: Pick<Lease, 'settle' | 'settleSoFar'>;
  signal: AbortSignal;
  heartbeatMs: number;
  /** Called for an error after the status has been sent. */
  onError(error: unknown): void;
};

/** Answers with the whole transcript. It is charged immediately before it is sent. */
export async function answerAtOnce({ reply, options, run, lease, signal }: AnswerOptions): Promise<number> {
  const transcript = await collectTranscript(segmentsOf(run), options.language);
  const { contentType, body } = formatTranscript(transcript, options);
  signal.throwIfAborted();
  await lease.settle(transcript.durationSeconds);
  reply.code(200).headers({ 'content-type': contentType, 'cache-control': 'no-store' }).send(body);
  return transcript.durationSeconds;
}

/**
 * Answers with events while the file is recognised. What is sent was charged before, so a client that leaves early pays for what
 * it got. A failure before the answer has begun is thrown, and answered like any other error. A later failure is sent as the
 * last event, and the result is undefined.
 */
export async function answerWithEvents(options: AnswerOptions): Promise<number | undefined> {
  const { reply, signal, heartbeatMs, onError } = options;
  const response = reply.raw;
  const batches = chargedBatches(options);
  let next = batches.next();
  await Promise.race([next, delay(heartbeatMs)]);

  for (const [name, value] of Object.entries(reply.getHeaders())) response.setHeader(name, value!);
  reply.hijack();
  using stream = openEventStream({ response, signal, heartbeatMs });
  const writer = createEventWriter();
  try {
    for (;;) {
      const batch = await next;
      if (batch.done) {
        stream.end(writer.done(batch.value));
        return batch.value;
      }
      await stream.send(batch.value.flatMap(writer.segment));
      next = batches.next();
    }
  } catch (error) {
    if (signal.reason instanceof ClientGone) throw error;
    onError(error);
    stream.end({ type: 'error', ...errorBody(toServiceError(error)) });
    return undefined;
  }
}

/** Charges the audio up to the end of each batch before it hands it on, and at last the whole file. Returns the seconds charged. */
async function* chargedBatches({
  run,
  lease,
  signal,
}: AnswerOptions): AsyncGenerator<readonly Segment[], number> {
  const batches = batchesOf(run);
  let chargedSeconds = 0;
  for (;;) {
    const next = await batches.next();
    signal.throwIfAborted();
    if (next.done) {
      chargedSeconds = Math.max(chargedSeconds, next.value.durationSeconds);
      await lease.settle(chargedSeconds);
      return chargedSeconds;
    }
    chargedSeconds = Math.max(chargedSeconds, ...next.value.map(({ endSeconds }) => endSeconds));
    await persistently(() => lease.settleSoFar(chargedSeconds));
    yield next.value;
  }
}

function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds).unref());
}
