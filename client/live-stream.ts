import { createAudioBacklog } from './audio-backlog.ts';
import { SiannError } from './errors.ts';
import { createEventQueue } from './event-queue.ts';
import type { ListenOptions, LiveEvent } from './live-events.ts';
import { type LiveSession, openLiveSession, type SessionEnd } from './live-session.ts';
import { optionTexts } from './option-texts.ts';
import { backOffSeconds } from './requests.ts';
import type { OpenedSocket, OpenSocket } from './sockets.ts';
import { createStreamTimes } from './stream-times.ts';
import { wait } from './wait.ts';

/** Takes audio and gives events. After a lost connection it connects again, and no word is lost or repeated. */
export type LiveStream = AsyncIterable<LiveEvent> & {
  /** Resolves when more may be written. A microphone need not wait for it. */
  write(chunk: Uint8Array | ArrayBuffer): Promise<void>;
  /** Makes everything written so far final at once. */
  finalize(): void;
  /** No more audio comes. The events end once the last final is there. */
  close(): void;
};

/** How much silence is kept. The service would have noticed speech in older audio by now. */
const keptSilenceSeconds = 60;
/** When more audio than this waits to be sent, `write` waits too. */
const highWaterSeconds = 10;
const frameSeconds = 0.25;

type LiveStreamOptions = ListenOptions & {
  openSocket: OpenSocket;
  /** For the first connection. After a lost connection, `reconnectForMs` counts. */
  maxRetries: number;
};

export function openLiveStream(given: LiveStreamOptions): LiveStream {
  const { openSocket, maxRetries, reconnectForMs = 60_000, signal: stopped, ...options } = given;
  const { encoding = 'LINEAR16', sampleRate = 16_000 } = options;
  const sampleBytes = encoding === 'LINEAR16' ? 2 : 1;
  const bytesPerSecond = encoding === 'FLAC' ? Number.POSITIVE_INFINITY : sampleRate * sampleBytes;
  const frameBytes = encoding === 'FLAC' ? 64 * 1024 : Math.ceil(sampleRate * frameSeconds) * sampleBytes;

  const stop = new AbortController();
  const signal = stopped ? AbortSignal.any([stopped, stop.signal]) : stop.signal;
  const events = createEventQueue<LiveEvent>(() => stop.abort());
  const backlog = createAudioBacklog();
  const times = createStreamTimes();
  /** The positions where `finalize` was called and no final has come yet. */
  let finalizeAt: number[] = [];
  let closing = false;
  let announced = false;
  let session: LiveSession | undefined;
  let resolveWrites: () => void = () => {};

  const positionOf = (seconds: number) =>
    encoding === 'FLAC' ? 0 : Math.floor(seconds * sampleRate) * sampleBytes;

  const waitingBytes = () => backlog.end - (session?.position ?? backlog.start);

  /** Drops the audio that will not be needed again. */
  const trim = () => {
    const silentUntil = times.speaking ? 0 : backlog.end - positionOf(keptSilenceSeconds);
    const sent = session?.position ?? backlog.start;
    const done = encoding === 'FLAC' ? sent : Math.max(positionOf(times.coveredSeconds), silentUntil);
    backlog.dropBefore(Math.min(done, sent));
    if (waitingBytes() <= highWaterSeconds * bytesPerSecond) resolveWrites();
  };

  const runSession = async (opened: OpenedSocket): Promise<SessionEnd> => {
    const from = backlog.start;
    times.beginSession(encoding === 'FLAC' ? 0 : from / bytesPerSecond);
    session = openLiveSession({
      ...opened,
      from,
      read: (position) => backlog.read(position, frameBytes),
      finalizeAt: () => finalizeAt,
      closeAt: () => (closing ? backlog.end : undefined),
      bytesPerSecond,
      signal,
      onEvent(event) {
        if (event.type === 'session.begin') {
          events.push(announced ? { type: 'connection.restored', from: from / bytesPerSecond } : event);
          announced = true;
          return;
        }
        const translated = times.translate(event);
        if (event.type === 'transcript' && event.is_final) {
          const covered = positionOf(times.coveredSeconds);
          finalizeAt = finalizeAt.filter((at) => !event.from_finalize && at > covered);
        }
        // The end of a session is the end of the stream only if the client asked for it.
        if (translated && event.type !== 'session.end') events.push(translated);
        if (translated && event.type === 'session.end' && event.reason === 'closed_by_client')
          events.push(translated);
        trim();
      },
      onSent: trim,
    });
    return session.ended;
  };

  const run = async () => {
    let failures = 0;
    let failingSince: number | undefined;
    for (;;) {
      const startedAt = Date.now();
      const coveredBefore = times.coveredSeconds;
      const end = await openSocket(new URLSearchParams(optionTexts(options)))
        .then(runSession)
        .catch((error): SessionEnd => ({ kind: isPermanent(error) ? 'failed' : 'lost', error }));
      const began = session !== undefined;
      session = undefined;
      signal.throwIfAborted();
      if (end.kind === 'done') return;
      if (end.kind === 'failed') throw end.error;
      if (encoding === 'FLAC' && backlog.start > 0) throw end.error;
      // A session that brought finals, or lasted a while, shows that trying again is worthwhile.
      const progressed = began && (times.coveredSeconds > coveredBefore || Date.now() - startedAt > 10_000);
      if (progressed || failingSince === undefined) failingSince = Date.now();
      failures = progressed ? 0 : failures + 1;
      if (Date.now() - failingSince > reconnectForMs) throw end.error;
      if (!announced && failures > maxRetries) throw end.error;
      if (began) {
        if (announced) events.push({ type: 'connection.lost', message: end.error.message });
        backlog.dropBefore(positionOf(times.coveredSeconds));
      }
      const seconds = end.error.retryAfterSeconds ?? Math.min(5, backOffSeconds(failures) / 2);
      await wait(seconds * 1000, signal);
    }
  };

  run()
    .then(() => events.end())
    .catch((error) => events.end(stopped?.aborted ? stopped.reason : error))
    .finally(() => {
      closing = true;
      stop.abort();
      resolveWrites();
    });

  return {
    async write(chunk) {
      if (closing) throw new SiannError({ message: 'The stream is closed.', code: 'stream_closed' });
      backlog.append(chunk instanceof Uint8Array ? chunk : new Uint8Array(chunk));
      session?.pump();
      if (waitingBytes() <= highWaterSeconds * bytesPerSecond) return;
      await new Promise<void>((resolve) => {
        const before = resolveWrites;
        resolveWrites = () => {
          before();
          resolve();
        };
      });
    },
    finalize() {
      if (closing) return;
      finalizeAt.push(backlog.end);
      session?.pump();
    },
    close() {
      closing = true;
      session?.pump();
    },
    [Symbol.asyncIterator]: () => events[Symbol.asyncIterator](),
  };
}

/** Whether trying again would not help. */
function isPermanent(error: unknown): boolean {
  if (!(error instanceof SiannError)) return true;
  if (error.code === 'quota_exceeded') return true;
  const { status } = error;
  return status !== undefined && status < 500 && status !== 429 && status !== 408;
}
