import { setTimeout as sleep } from 'node:timers/promises';
import { openStream, type StreamClient, sessionEnd } from '../realtime/stream-client.ts';
import type { Caller } from './caller.ts';
import type { Outcome } from './outcome.ts';

const frameMs = 100;
const frameBytes = 32 * frameMs;
/** Quicker than speech, for the sake of time. */
const speed = 4;
const endsWithinMs = 90_000;

/** Closes after which a client connects again: the node drains, or has too much to do. */
const passingCloses = [1001, 1013];

/** Says something into a live stream; with a text, the transcript must be that. */
export async function speakLive(caller: Caller, speech: Uint8Array, text?: string): Promise<Outcome> {
  const audioMs = speech.length / 32;
  const facts = { kind: 'live', keyId: caller.key.id, audioMs };
  const target = { port: caller.node.port, ca: caller.ca, key: caller.key.key };
  const client = await openStream(target, '?interim_results=false').catch((error: Error) => error);
  if (client instanceof Error) return { ...facts, ...refusedUpgrade(caller, client) };
  let isOpen = true;
  client.closed.then(() => {
    isOpen = false;
  });
  for (let at = 0; at < speech.length && isOpen; at += frameBytes) {
    client.send(speech.subarray(at, at + frameBytes));
    await sleep(frameMs / speed);
  }
  client.send('{"type":"close"}');
  const hung = sleep(endsWithinMs, 0, { ref: false });
  const code = await Promise.race([client.closed, hung]);
  client.socket.terminate();
  return { ...facts, ...endOf(caller, client, code, text) };
}

export function textOf({ events }: StreamClient): string {
  const finals = events.flatMap(({ event }) =>
    event.type === 'transcript' && event.is_final ? [event.text.trim()] : [],
  );
  return finals.join(' ');
}

function endOf(
  caller: Caller,
  client: StreamClient,
  code: number,
  text?: string,
): Partial<Outcome> & { end: Outcome['end'] } {
  const begin = client.events.find(({ event }) => event.type === 'session.begin')?.event;
  const session = begin?.type === 'session.begin' ? { requestId: begin.session_id } : {};
  const end = sessionEnd(client);
  const told = end ? { ...session, toldMs: Math.round(end.billed_seconds * 1000) } : session;
  const error = client.events.find(({ event }) => event.type === 'error')?.event;
  const why = error?.type === 'error' ? ` ${error.error.code}` : '';
  if (code === 0) return { ...told, end: 'fault', detail: 'was never closed' };
  if (passingCloses.includes(code)) return { ...told, end: 'retryable', detail: `close ${code}${why}` };
  if (code === 1006) return { ...caller.lost(new Error('stream cut')), ...told };
  if (code !== 1000 || !end) return { ...told, end: 'fault', detail: `close ${code}${why}` };
  if (end.billed_seconds !== end.audio_seconds)
    return {
      ...told,
      end: 'fault',
      detail: `received ${end.audio_seconds} s, billed ${end.billed_seconds} s`,
    };
  const received = textOf(client);
  if (text !== undefined && received !== text)
    return { ...told, end: 'fault', detail: `live "${received}" instead of "${text}"` };
  return { ...told, end: 'right', ...(text === undefined && { detail: received }) };
}

function refusedUpgrade(caller: Caller, error: Error): Pick<Outcome, 'end' | 'detail' | 'retryAfterMs'> {
  const [, status] = /Unexpected server response: (\d+)/.exec(error.message) ?? [];
  if (status === '503' || status === '429')
    return { end: 'retryable', detail: `${status} before the upgrade`, retryAfterMs: 1000 };
  if (status) return { end: 'fault', detail: `${status} before the upgrade` };
  return caller.lost(error);
}
