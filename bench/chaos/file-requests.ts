import { type Answer, BrokenAnswer } from '../service/client.ts';
import type { Caller } from './caller.ts';
import type { Outcome } from './outcome.ts';
import type { KnownSample, Sample } from './samples.ts';

const wrongKey = `sk_live_${'0'.repeat(32)}`;

/** Sends a file and holds the answer against the text that the same file has in calm. */
export async function sendFile(caller: Caller, sample: KnownSample, streamed = false): Promise<Outcome> {
  const kind = streamed ? 'streamed' : 'file';
  const facts = { kind, keyId: caller.key.id, audioMs: sample.milliseconds };
  const fields = streamed ? { stream: 'true' } : {};
  const answer = await caller.send(sample.bytes, caller.key.key, fields).catch((error) => error);
  if (answer instanceof Error) return { ...facts, ...caller.lost(answer) };
  if (answer.status !== 200) return { ...facts, ...refusalOf(answer) };
  const result = streamed ? lastEvent(answer) : JSON.parse(answer.body);
  if (result === undefined)
    return { ...facts, ...caller.lost(new BrokenAnswer(answer.requestId, 'no last event')) };
  // The head of a streamed answer has gone out before anything can go wrong.
  if (result.error) return { ...facts, ...refusalOf(answer, result.error) };
  const seconds = streamed ? result.usage.seconds : result.duration;
  const told = { requestId: answer.requestId, toldMs: Math.round(seconds * 1000) };
  return result.text === sample.text
    ? { ...facts, ...told, end: 'right' }
    : { ...facts, ...told, end: 'fault', detail: `"${result.text}" instead of "${sample.text}"` };
}

/** A client that goes away some time after it began to send. */
export async function sendAndLeave(caller: Caller, sample: Sample, afterMs: number): Promise<Outcome> {
  const facts = { kind: 'cancelled', keyId: caller.key.id, audioMs: Number.POSITIVE_INFINITY };
  const signal = AbortSignal.timeout(afterMs);
  const answer = await caller.send(sample.bytes, caller.key.key, {}, signal).catch((error) => error);
  if (answer instanceof BrokenAnswer && signal.aborted)
    return { ...facts, end: 'left', requestId: answer.requestId };
  if (answer instanceof Error)
    return signal.aborted ? { ...facts, end: 'left' } : { ...facts, ...caller.lost(answer) };
  if (answer.status !== 200) return { ...facts, ...refusalOf(answer) };
  const toldMs = Math.round(JSON.parse(answer.body).duration * 1000);
  return { ...facts, end: 'right', requestId: answer.requestId, toldMs };
}

const badRequests = {
  'no audio': { status: 400, code: 'invalid_file_format' },
  'wrong key': { status: 401, code: 'invalid_api_key' },
  'wrong model': { status: 404, code: 'model_not_found' },
};
export const badKinds = Object.keys(badRequests) as (keyof typeof badRequests)[];

/** A request that is refused in calm is refused the same way in the storm, or is told to come again. */
export async function sendBad(
  caller: Caller,
  sample: Sample,
  kind: (typeof badKinds)[number],
): Promise<Outcome> {
  const facts = { kind, keyId: caller.key.id, audioMs: 0 };
  const bytes = kind === 'no audio' ? Buffer.from('This is a letter.'.repeat(100)) : sample.bytes;
  const key = kind === 'wrong key' ? wrongKey : caller.key.key;
  const fields = kind === 'wrong model' ? { model: 'another' } : {};
  const answer = await caller.send(bytes, key, fields).catch((error) => error);
  if (answer instanceof Error) return { ...facts, ...caller.lost(answer) };
  const { status, code } = badRequests[kind];
  const isRight = answer.status === status && JSON.parse(answer.body).error.code === code;
  return isRight
    ? { ...facts, end: 'right', requestId: answer.requestId }
    : { ...facts, ...refusalOf(answer) };
}

/** An error that says when to come again, and nothing else, is what a client can live with. */
export function refusalOf(
  { status, headers, body, requestId }: Answer,
  streamedError?: { code: string },
): Pick<Outcome, 'end' | 'requestId' | 'detail' | 'retryAfterMs'> {
  const code = streamedError?.code ?? JSON.parse(body).error?.code;
  const retryAfter = Number(headers['retry-after']);
  const saysWhen = streamedError !== undefined || retryAfter > 0;
  const isRetryable = status === 503 || status === 429 || isPassing(streamedError?.code);
  if (isRetryable && saysWhen && code !== 'quota_exceeded')
    return {
      end: 'retryable',
      requestId,
      detail: `${status} ${code}`,
      retryAfterMs: (retryAfter || 1) * 1000,
    };
  return { end: 'fault', requestId, detail: `${status} ${body.slice(0, 300)}` };
}

function isPassing(code: string | undefined): boolean {
  return code === 'overloaded' || code === 'shutting_down' || code === 'unavailable';
}

/** Undefined when the stream of events has no end. */
function lastEvent({ body }: Answer) {
  const last = body.trimEnd().split('\n\n').at(-1);
  if (!last?.startsWith('data: ')) return undefined;
  const event = JSON.parse(last.slice('data: '.length));
  return event.type === 'transcript.text.done' || event.type === 'error' ? event : undefined;
}
