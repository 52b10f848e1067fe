import type { FastifyReply } from 'fastify';
import type { Lease } from '../../accounts/admission.ts';
import { toServiceError } from '../../errors/framework-errors.ts';
import { errorBody } from '../../errors/service-error.ts';
import { createEventWriter } from '../../formats/file-events.ts';
import { formatTranscript } from '../../formats/response-format.ts';
import type { DecidedFileOptions } from '../../options/file-options.ts';
import { collectTranscript } from '../../speech/transcript/collect-transcript.ts';
import { ClientGone } from './connection-signal.ts';
import { openEventStream } from './event-stream.ts';
import { type RecognitionRun, segmentsOf } from './recognition-run.ts';

type AnswerOptions = {
  reply: FastifyReply;
  options: DecidedFileOptions;
  run: RecognitionRun;
  lease: Pick<Lease, 'settle'>;
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
 * Answers with events while the file is recognised. A failure before the answer has begun is thrown, and answered like any other
 * error. A later failure is sent as the last event, and the result is undefined.
 */
export async function answerWithEvents(options: AnswerOptions): Promise<number | undefined> {
  const { reply, run, lease, signal, heartbeatMs, onError } = options;
  const response = reply.raw;
  const segments = segmentsOf(run);
  let next = segments.next();
  await Promise.race([next, delay(heartbeatMs)]);

  for (const [name, value] of Object.entries(reply.getHeaders())) response.setHeader(name, value!);
  reply.hijack();
  using stream = openEventStream({ response, signal, heartbeatMs });
  const writer = createEventWriter();
  try {
    for (;;) {
      const segment = await next;
      if (segment.done) {
        const { durationSeconds } = segment.value;
        const done = writer.done(durationSeconds);
        signal.throwIfAborted();
        await lease.settle(durationSeconds);
        stream.end(done);
        return durationSeconds;
      }
      await stream.send(writer.segment(segment.value));
      next = segments.next();
    }
  } catch (error) {
    if (signal.reason instanceof ClientGone) throw error;
    onError(error);
    stream.end({ type: 'error', ...errorBody(toServiceError(error)) });
    return undefined;
  }
}

function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds).unref());
}
