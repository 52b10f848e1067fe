import type { SessionEvent } from '../../wire/stream-events.ts';
import { type StreamClient, sessionEnd } from './stream-client.ts';

/** What became of a stream, and what was wrong with it, if anything. */
export type StreamFate = {
  name: string;
  sessionId: string | undefined;
  code: number;
  sentSeconds: number;
  /** As the service told the client; undefined where the client had left by then. */
  billedSeconds: number | undefined;
  fault: string | undefined;
};

/** The codes with which the protocol closes, and whether an error comes before each. */
const closes = new Map([
  [1000, false],
  [1001, false],
  [1003, true],
  [1007, true],
  [1009, true],
  [1011, true],
  [1013, true],
  [4401, true],
  [4408, true],
  [4409, true],
  [4429, true],
]);

export type FateOptions = {
  name: string;
  client: StreamClient;
  sentSeconds: number;
  /** The client broke the connection itself. */
  left?: boolean;
  /** The codes that are right here; any of the protocol's when not given. */
  expected?: number[];
  withinMs?: number;
};

export async function fateOf(options: FateOptions): Promise<StreamFate> {
  const { name, client, sentSeconds, left = false, expected, withinMs = 60_000 } = options;
  let timer: NodeJS.Timeout | undefined;
  const hung = new Promise<'hung'>((resolve) => {
    timer = setTimeout(() => resolve('hung'), withinMs);
  });
  const code = await Promise.race([client.closed, hung]);
  clearTimeout(timer);
  const events = client.events.map(({ event }) => event);
  const begin = events.find((event) => event.type === 'session.begin');
  const end = sessionEnd(client);
  const sessionId = begin?.type === 'session.begin' ? begin.session_id : undefined;
  const fate = { name, sessionId, sentSeconds, billedSeconds: end?.billed_seconds };
  if (code === 'hung') {
    client.socket.terminate();
    return { ...fate, code: 0, fault: 'was never closed' };
  }
  return { ...fate, code, fault: left ? undefined : faultOf(code, events, sentSeconds, expected) };
}

function faultOf(
  code: number,
  events: SessionEvent[],
  sentSeconds: number,
  expected?: number[],
): string | undefined {
  const end = events.at(-1);
  if (!closes.has(code) || (expected && !expected.includes(code))) return `was closed with ${code}`;
  if (end?.type !== 'session.end') return `ended with ${end?.type} and ${code}`;
  const saidError = events.at(-2)?.type === 'error';
  if (saidError !== closes.get(code)) return `${saidError ? 'had an' : 'had no'} error before ${code}`;
  if (end.billed_seconds !== end.audio_seconds) return 'was not billed for what was received';
  if (end.audio_seconds > sentSeconds + 0.001) return `received ${end.audio_seconds} s of ${sentSeconds} s`;
  return outOfOrder(events);
}

function outOfOrder(events: SessionEvent[]): string | undefined {
  let [seq, finalSegment, finalEnd] = [0, -1, 0];
  for (const event of events) {
    if (event.type !== 'transcript') continue;
    if (event.seq !== ++seq) return `counted ${event.seq} after ${seq - 1}`;
    if (event.segment_id <= finalSegment) return `changed segment ${event.segment_id} after its final`;
    if (!event.is_final) continue;
    finalSegment = event.segment_id;
    if (event.end < event.start || event.start < finalEnd - 0.5) return 'went back in time';
    finalEnd = event.end;
  }
  return undefined;
}
