import { WebSocket } from 'ws';
import { ServiceError } from '../../errors/service-error.ts';
import type { Conversation } from './conversation.ts';

export type CarryOptions = {
  socket: WebSocket;
  /** Bytes that have come from the client so far, of whatever kind. */
  bytesRead(): number;
  conversation: Conversation;
  onFailure(error: unknown): void;
  times?: CarryTimes;
};

export type CarryTimes = {
  pingMs: number;
  /** A client from which nothing has come for so long, pongs included, is not there any more. */
  silenceMs: number;
  /** A client that takes nothing for so long is not coming back. */
  stallMs: number;
  /** How long the client may take to answer the close. */
  closeMs: number;
};

export const defaultTimes: CarryTimes = {
  pingMs: 20_000,
  silenceMs: 60_000,
  stallMs: 60_000,
  closeMs: 5_000,
};

/** Above the first, audio waits in the client's own buffers; below the second, it comes again. */
const pauseAboveSeconds = 10;
const resumeBelowSeconds = 5;
const lookEveryMs = 50;
/** What may wait for a slow reader before the session is asked for no more. */
const unreadBytes = 64 * 1024;

/** Carries a conversation over a socket until both have ended. */
export async function carryConversation(options: CarryOptions): Promise<void> {
  const { socket, conversation, times = defaultTimes } = options;
  const gone = new Promise<void>((resolve) => {
    socket.once('close', () => {
      conversation.end('connection_lost');
      resolve();
    });
  });
  // What is wrong with a socket ends in its close.
  socket.on('error', () => {});
  const closeSocket = holdClose(socket, (code) =>
    conversation.end(code === 1009 ? 'frame_too_large' : 'bad_message'),
  );
  const reading = createReading(socket, conversation);
  socket.on('message', (data, isBinary) => {
    try {
      if (isBinary) conversation.receiveBytes(data as Buffer);
      else conversation.receiveText(String(data));
    } catch (error) {
      fail(error);
    }
    reading.holdBack();
  });
  const pulse = watchPulse(options, reading, times);

  try {
    for await (const message of conversation.messages()) await write(message);
  } catch (error) {
    fail(error);
  }
  const { code, reason } = await conversation.closed;
  clearInterval(pulse);
  reading.end();
  closeSocket(code, reason);
  const late = setTimeout(() => socket.terminate(), times.closeMs);
  await gone;
  clearTimeout(late);

  /** Never the client's fault: whatever it sends is answered in its dialect. */
  function fail(error: unknown): void {
    options.onFailure(error);
    conversation.end('internal_error', new ServiceError('internal_error', { cause: error }));
  }

  async function write(message: string): Promise<void> {
    if (socket.readyState !== WebSocket.OPEN) return gone;
    const taken = new Promise<void>((resolve) => socket.send(message, () => resolve()));
    if (socket.bufferedAmount < unreadBytes) return;
    const stalled = setTimeout(() => socket.terminate(), times.stallMs);
    await Promise.race([taken, gone]);
    clearTimeout(stalled);
  }
}

/**
 * A frame that breaks the protocol makes ws close the socket at once, before anything could be said about it. So it has to
 * ask, and the socket is closed when the error has been sent. The function given back closes it.
 */
function holdClose(socket: WebSocket, onFault: (code: number) => void): WebSocket['close'] {
  const close = socket.close.bind(socket);
  let isReceived = false;
  socket.close = (code, data) => {
    // An answer to the client's own close.
    isReceived ||= code === undefined || data !== undefined;
    if (isReceived) close(code, data);
    else onFault(code!);
  };
  return close;
}

type Reading = { holdBack(): void; isHeld(): boolean; end(): void };

/** Stops reading while there is more audio than can be heard soon. */
function createReading(socket: WebSocket, conversation: Conversation): Reading {
  let timer: NodeJS.Timeout | undefined;
  const goOn = () => {
    clearInterval(timer);
    timer = undefined;
    socket.resume();
  };
  return {
    holdBack() {
      if (timer || conversation.bufferedSeconds < pauseAboveSeconds) return;
      socket.pause();
      timer = setInterval(() => {
        if (conversation.bufferedSeconds < resumeBelowSeconds) goOn();
      }, lookEveryMs);
    },
    isHeld: () => timer !== undefined,
    end: goOn,
  };
}

/** Pings, and notices a client that has gone without a word. Audio is as good as a pong; where we do not read, neither counts. */
function watchPulse(
  { socket, bytesRead }: CarryOptions,
  reading: Reading,
  times: CarryTimes,
): NodeJS.Timeout {
  let seenBytes = bytesRead();
  let seenAt = performance.now();
  return setInterval(() => {
    if (bytesRead() !== seenBytes || reading.isHeld()) {
      seenBytes = bytesRead();
      seenAt = performance.now();
    }
    if (performance.now() - seenAt > times.silenceMs) return socket.terminate();
    if (socket.readyState === WebSocket.OPEN && socket.bufferedAmount < unreadBytes) socket.ping();
  }, times.pingMs);
}
