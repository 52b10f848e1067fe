import type { SessionEvent } from '../wire/stream-events.ts';
import { SiannError } from './errors.ts';
import type { OpenedSocket } from './sockets.ts';

/** One connection of a stream, from its first event to its close. */
export type LiveSession = {
  /** The position of the next byte to send. */
  readonly position: number;
  /** Sends the audio that may be sent now. */
  pump(): void;
  readonly ended: Promise<SessionEnd>;
};

export type SessionEnd = { kind: 'done' } | { kind: 'failed' | 'lost'; error: SiannError };

type LiveSessionOptions = OpenedSocket & {
  from: number;
  read(position: number): Uint8Array;
  /** The positions where the client asked to make everything before them final. */
  finalizeAt(): readonly number[];
  /** Where the audio ends, once that is known. */
  closeAt(): number | undefined;
  bytesPerSecond: number;
  signal: AbortSignal;
  onEvent(event: Exclude<SessionEvent, { type: 'error' }>): void;
  onSent(): void;
};

const keepAliveMs = 8_000;
const retryMs = 50;
const maxBufferedBytes = 512 * 1024;
/** When much audio waits, it is sent this many times faster than it was spoken. */
const catchUpSpeed = 2;
/** Connecting again would not help: bad audio, bad messages, a revoked key, a used-up quota. */
const permanentCloseCodes = new Set([1003, 1007, 1008, 1009, 4401, 4429]);

export function openLiveSession(options: LiveSessionOptions): LiveSession {
  const { socket, early, read, finalizeAt, closeAt, bytesPerSecond, signal, onEvent, onSent } = options;
  let position = options.from;
  let begunAt: number | undefined;
  let burstSeconds = 15;
  let speed = catchUpSpeed;
  let finalizedAt = -1;
  let closed = false;
  let done = false;
  let failure: SiannError | undefined;
  let tooFarAhead = false;
  let draining = false;
  let lastSentAt = Date.now();
  let retry: ReturnType<typeof setTimeout> | undefined;

  const sendControl = (type: 'keepalive' | 'finalize' | 'close') => {
    socket.send(JSON.stringify({ type }));
    lastSentAt = Date.now();
  };

  /** The service buffers some audio that it has not recognised yet. If a client sends far more, it closes the connection. */
  const maySendAudio = (): boolean => {
    const sentSeconds = (position - options.from) / bytesPerSecond;
    const allowedSeconds = burstSeconds + ((Date.now() - begunAt!) / 1000) * speed;
    return sentSeconds <= allowedSeconds && socket.bufferedAmount < maxBufferedBytes;
  };

  const pump = () => {
    if (begunAt === undefined || closed || draining || socket.readyState !== 1) return;
    clearTimeout(retry);
    for (;;) {
      if (finalizedAt < position && finalizeAt().includes(position)) {
        finalizedAt = position;
        sendControl('finalize');
      }
      const next = finalizeAt().find((at) => at > position);
      const chunk = read(position).subarray(0, next === undefined ? undefined : next - position);
      if (chunk.length === 0) break;
      if (!maySendAudio()) {
        retry = setTimeout(pump, retryMs);
        break;
      }
      socket.send(chunk as Uint8Array<ArrayBuffer>);
      position += chunk.length;
      lastSentAt = Date.now();
    }
    if (closeAt() !== undefined && position >= closeAt()!) {
      closed = true;
      sendControl('close');
    }
    onSent();
  };

  const receive = (event: SessionEvent) => {
    if (event.type === 'error') {
      const { message, code, type, param } = event.error;
      failure = new SiannError({ message, code, type, param });
      return;
    }
    if (event.type === 'session.begin') {
      begunAt = Date.now();
      burstSeconds = event.limits.max_buffered_seconds / 2;
    }
    if (event.type === 'warning' && event.code === 'audio_ahead_of_real_time') {
      speed = 1;
      burstSeconds = Math.min(burstSeconds, 2);
    }
    if (event.type === 'warning' && event.code === 'draining') draining = true;
    if (event.type === 'session.end') {
      done = event.reason === 'closed_by_client';
      tooFarAhead = event.reason === 'audio_too_far_ahead';
    }
    // A draining service ends its last final anywhere, even within a word. The next session recognises this audio again.
    if (event.type === 'transcript' && draining) onEvent({ ...event, is_final: false, speech_final: false });
    else onEvent(event);
    if (event.type === 'session.begin') pump();
  };

  const ended = new Promise<SessionEnd>((resolve) => {
    const keepAlive = setInterval(() => {
      if (socket.readyState === 1 && Date.now() - lastSentAt >= keepAliveMs) sendControl('keepalive');
    }, keepAliveMs / 2);
    const giveUp = () => socket.close(1000);
    signal.addEventListener('abort', giveUp, { once: true });
    if (signal.aborted) giveUp();
    const receiveData = (data: unknown) => {
      if (typeof data === 'string') receive(JSON.parse(data));
    };
    socket.onmessage = ({ data }: { data: unknown }) => receiveData(data);
    // This waits until the caller has the session, because handling events needs it.
    queueMicrotask(() => early.splice(0).forEach(receiveData));
    socket.onerror = () => {};
    socket.onclose = ({ code }: { code: number }) => {
      clearInterval(keepAlive);
      clearTimeout(retry);
      signal.removeEventListener('abort', giveUp);
      if (done) return resolve({ kind: 'done' });
      const isPermanent = permanentCloseCodes.has(code) && !tooFarAhead;
      const error = failure ?? lost(code);
      resolve({ kind: isPermanent ? 'failed' : 'lost', error });
    };
  });

  return {
    get position() {
      return position;
    },
    pump,
    ended,
  };
}

function lost(code: number): SiannError {
  return new SiannError({
    message: `The connection to the service was lost (close code ${code}).`,
    code: 'connection_lost',
  });
}
