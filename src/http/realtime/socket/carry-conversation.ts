import { WebSocket } from 'ws';
import { ServiceError } from '../../../errors/service-error.ts';
import type { Conversation } from '../conversation.ts';
import { createSocketIntake, maxUnreadBytes, type SocketIntake } from './socket-intake.ts';
import { answerPings } from './socket-pings.ts';

type CarryOptions = {
  socket: WebSocket;
  /** How many bytes of any kind the client has sent so far. */
  bytesRead(): number;
  conversation: Conversation;
  onFailure(error: unknown): void;
  times?: CarryTimes;
};

export type CarryTimes = {
  pingMs: number;
  /** A client that has sent nothing since it connected, not even a pong, is gone after this time. */
  firstSignMs: number;
  /** A client that sends nothing for so long, not even a pong, is gone. */
  silenceMs: number;
  /** A client that reads nothing for so long is gone. */
  stallMs: number;
  /** How long the client may take to answer the close. */
  closeMs: number;
};

const defaultTimes: CarryTimes = {
  pingMs: 20_000,
  firstSignMs: 12_000,
  silenceMs: 60_000,
  stallMs: 15_000,
  closeMs: 5_000,
};

/** Carries a conversation over a socket until both have ended. */
export async function carryConversation(options: CarryOptions): Promise<void> {
  const { socket, conversation, times = defaultTimes } = options;
  const gone = new Promise<void>((resolve) => {
    socket.once('close', () => {
      conversation.end('connection_lost');
      resolve();
    });
  });
  // An error of the socket is always followed by its close.
  socket.on('error', () => {});
  const closeSocket = interceptClose(socket, (code) =>
    conversation.end(code === 1009 ? 'frame_too_large' : 'bad_message'),
  );
  const intake = createSocketIntake({
    socket,
    conversation,
    handle({ data, isBinary }) {
      try {
        if (isBinary) conversation.receiveBytes(data);
        else conversation.receiveText(String(data));
      } catch (error) {
        fail(error);
      }
    },
  });
  answerPings(socket);
  const monitor = monitorClient(options, intake, times);

  try {
    for await (const message of conversation.messages()) await write(message);
  } catch (error) {
    fail(error);
  }
  const { code, reason } = await conversation.closed;
  monitor[Symbol.dispose]();
  intake.discard();
  closeSocket(code, reason);
  const closeTimer = setTimeout(() => socket.terminate(), times.closeMs);
  await gone;
  clearTimeout(closeTimer);

  /** For our own faults. What a client does wrong is answered in its dialect. */
  function fail(error: unknown): void {
    options.onFailure(error);
    conversation.end('internal_error', new ServiceError('internal_error', { cause: error }));
  }

  async function write(message: string): Promise<void> {
    if (socket.readyState !== WebSocket.OPEN) return gone;
    const taken = new Promise<void>((resolve) => {
      socket.send(message, () => {
        monitor.wasRead();
        resolve();
      });
    });
    if (socket.bufferedAmount >= maxUnreadBytes) await Promise.race([taken, gone]);
  }
}

/**
 * When a frame breaks the protocol, ws closes the socket at once, before the client can be sent an error. So we replace the
 * `close` that ws calls: it reports the fault, and the function that is returned closes the socket after the error was sent.
 */
function interceptClose(socket: WebSocket, onFault: (code: number) => void): WebSocket['close'] {
  const close = socket.close.bind(socket);
  let clientCloses = false;
  socket.close = (code, data) => {
    // These arguments mean that ws answers the client's close.
    clientCloses ||= code === undefined || data !== undefined;
    if (clientCloses) close(code, data);
    else onFault(code!);
  };
  return close;
}

type ClientMonitor = Disposable & {
  /** The client has read something. */
  wasRead(): void;
};

/**
 * Pings the client, and ends the connection when nothing comes back or nothing is read. Audio counts like a pong. While we do
 * not read, silence is our doing.
 */
function monitorClient(
  { socket, bytesRead }: CarryOptions,
  intake: SocketIntake,
  times: CarryTimes,
): ClientMonitor {
  let seenBytes = bytesRead();
  let seenAt = performance.now();
  let readAt = performance.now();
  let hasSent = false;
  let wasGone = false;
  const ping = () => {
    if (socket.readyState === WebSocket.OPEN && socket.bufferedAmount < maxUnreadBytes) socket.ping();
  };
  const look = () => {
    const now = performance.now();
    if (bytesRead() !== seenBytes) hasSent = true;
    if (bytesRead() !== seenBytes || intake.isStopped) seenAt = now;
    seenBytes = bytesRead();
    if (socket.bufferedAmount < maxUnreadBytes) readAt = now;
    const isSilent = now - seenAt > (hasSent ? times.silenceMs : times.firstSignMs);
    const isGone = isSilent || now - readAt > times.stallMs;
    // This process may have stood still. So what has come meanwhile gets a second look.
    if (isGone && wasGone) socket.terminate();
    wasGone = isGone;
  };
  const looks = setInterval(look, Math.min(1_000, times.silenceMs / 4));
  const pings = setInterval(ping, times.pingMs);
  // A client that is there answers this at once.
  ping();
  return {
    wasRead() {
      readAt = performance.now();
    },
    [Symbol.dispose]() {
      clearInterval(looks);
      clearInterval(pings);
    },
  };
}
