import { WebSocket } from 'ws';
import { ServiceError } from '../../errors/service-error.ts';
import type { Conversation } from './conversation.ts';

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
  /** A client that sends nothing for so long, not even a pong, is gone. */
  silenceMs: number;
  /** A client that reads nothing for so long is gone. */
  stallMs: number;
  /** How long the client may take to answer the close. */
  closeMs: number;
};

const defaultTimes: CarryTimes = {
  pingMs: 20_000,
  silenceMs: 60_000,
  stallMs: 60_000,
  closeMs: 5_000,
};

/** With more buffered audio than the first, we stop reading, so that audio waits in the client. Below the second, we read again. */
const pauseAboveSeconds = 10;
const resumeBelowSeconds = 5;
const checkEveryMs = 50;
/** With this many bytes unread by the client, we ask the session for no more messages. */
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
  // An error of the socket is always followed by its close.
  socket.on('error', () => {});
  const closeSocket = interceptClose(socket, (code) =>
    conversation.end(code === 1009 ? 'frame_too_large' : 'bad_message'),
  );
  const flow = createFlowControl(socket, conversation);
  socket.on('message', (data, isBinary) => {
    try {
      if (isBinary) conversation.receiveBytes(data as Buffer);
      else conversation.receiveText(String(data));
    } catch (error) {
      fail(error);
    }
    flow.pauseIfAhead();
  });
  const pings = startPings(options, flow, times);

  try {
    for await (const message of conversation.messages()) await write(message);
  } catch (error) {
    fail(error);
  }
  const { code, reason } = await conversation.closed;
  clearInterval(pings);
  flow.resume();
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
    const taken = new Promise<void>((resolve) => socket.send(message, () => resolve()));
    if (socket.bufferedAmount < unreadBytes) return;
    const stallTimer = setTimeout(() => socket.terminate(), times.stallMs);
    await Promise.race([taken, gone]);
    clearTimeout(stallTimer);
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

type FlowControl = { pauseIfAhead(): void; isPaused(): boolean; resume(): void };

/** Stops reading from the socket while too much audio waits to be recognised. */
function createFlowControl(socket: WebSocket, conversation: Conversation): FlowControl {
  let timer: NodeJS.Timeout | undefined;
  const resume = () => {
    clearInterval(timer);
    timer = undefined;
    socket.resume();
  };
  return {
    pauseIfAhead() {
      if (timer || conversation.bufferedSeconds < pauseAboveSeconds) return;
      socket.pause();
      timer = setInterval(() => {
        if (conversation.bufferedSeconds < resumeBelowSeconds) resume();
      }, checkEveryMs);
    },
    isPaused: () => timer !== undefined,
    resume,
  };
}

/** Pings the client, and ends the connection when nothing comes back. Audio counts like a pong. While we do not read, silence is our doing. */
function startPings(
  { socket, bytesRead }: CarryOptions,
  flow: FlowControl,
  times: CarryTimes,
): NodeJS.Timeout {
  let seenBytes = bytesRead();
  let seenAt = performance.now();
  return setInterval(() => {
    if (bytesRead() !== seenBytes || flow.isPaused()) {
      seenBytes = bytesRead();
      seenAt = performance.now();
    }
    if (performance.now() - seenAt > times.silenceMs) return socket.terminate();
    if (socket.readyState === WebSocket.OPEN && socket.bufferedAmount < unreadBytes) socket.ping();
  }, times.pingMs);
}
