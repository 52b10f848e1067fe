import type { SessionEvent } from '../wire/stream-events.ts';
import { SiannError } from './errors.ts';
import type { OpenedSocket } from './sockets.ts';

/** One connection of a stream, from its first event to its close. */
export type LiveSession = {
  /** What comes next to be sent. */
  readonly position: number;
  /** Sends what there is and may be sent now. */
  pump(): void;
  readonly ended: Promise<SessionEnd>;
};

export type SessionEnd = { kind: 'done' } | { kind: 'failed' | 'lost'; error: SiannError };

export type LiveSessionOptions = OpenedSocket & {
  from: number;
  read(position: number): Uint8Array;
  /** Positions at which everything before is to be made final. */
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
/** How much quicker than it was spoken audio is sent when there is a lot of it. */
const catchUpSpeed = 2;
/** Not ours to repeat: bad audio, bad messages, a key that is gone, a quota that is used up. */
const finalCloseCodes = new Set([1003, 1007, 1008, 1009, 4401, 4429]);

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

  /** The service holds some audio that it has not heard yet, and closes on those who send far more. */
  const mayAudioGo = (): boolean => {
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
      if (!mayAudioGo()) {
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
    // The service ends it wherever the speaker was, in mid-word too: the next session hears it whole.
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
    // Once the session is there for whom the events are.
    queueMicrotask(() => early.splice(0).forEach(receiveData));
    socket.onerror = () => {};
    socket.onclose = ({ code }: { code: number }) => {
      clearInterval(keepAlive);
      clearTimeout(retry);
      signal.removeEventListener('abort', giveUp);
      if (done) return resolve({ kind: 'done' });
      const isFinal = finalCloseCodes.has(code) && !tooFarAhead;
      const error = failure ?? lost(code);
      resolve({ kind: isFinal ? 'failed' : 'lost', error });
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
