import type { WebSocket } from 'ws';
import { createPace } from '../../../async/pace.ts';
import type { Conversation } from '../conversation.ts';

export type SocketIntake = {
  /** We read nothing at the moment, so it is not the client's fault that nothing comes. */
  readonly isStopped: boolean;
  /** Reads on at the same pace, and throws everything away. */
  discard(): void;
};

type IntakeOptions = {
  socket: WebSocket;
  conversation: Pick<Conversation, 'bufferedSeconds' | 'waiting'>;
  handle(message: SocketMessage): void;
};

type SocketMessage = { data: Buffer; isBinary: boolean };

/** With this many bytes unread by the client, it is sent nothing more. */
export const maxUnreadBytes = 64 * 1024;

/**
 * Above one of these marks, reading stops: audio that is not recognised yet, messages that wait on either side, and bytes that
 * the client does not read. Then its messages wait in its own machine. Below half of every mark, reading goes on.
 */
const marks = { bufferedSeconds: 10, waiting: 128, unreadBytes: maxUnreadBytes };
/**
 * Every message costs this thread some microseconds, however small it is, and what this thread takes, recognition does not have. So
 * reading stops too while more comes than this. Somebody who sends 20 ms at a time eight times as fast as it is spoken sends 400
 * messages a second, and may send 40 s at once.
 */
const messagePace = { perSecond: 400, burst: 2_000 };
/** A longer message counts as several. */
const bytesOfOne = 4096;
const lookEveryMs = 50;
/** So many messages that waited are handled in one turn. Others are served between two turns. */
const messagesInTurn = 64;

/**
 * Takes messages from a socket, and stops reading from it while the conversation has enough. Messages that ws has read by then
 * wait here, so that no client can make more work, or more answers, than it waits for.
 */
export function createSocketIntake({ socket, conversation, handle }: IntakeOptions): SocketIntake {
  let held: SocketMessage[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isDiscarding = false;
  const pace = createPace(messagePace);

  const isAbove = (share: number) =>
    conversation.bufferedSeconds > marks.bufferedSeconds * share ||
    conversation.waiting > marks.waiting * share ||
    socket.bufferedAmount > marks.unreadBytes * share;
  const stop = () => {
    socket.pause();
    timer = setTimeout(readOn, lookEveryMs);
  };
  const readOn = () => {
    if (socket.readyState === socket.CLOSED) return;
    if (!isDiscarding && isAbove(1 / 2)) {
      timer = setTimeout(readOn, lookEveryMs);
      return;
    }
    let handled = 0;
    while (handled < Math.min(messagesInTurn, held.length) && !isAbove(1)) handle(held[handled++]!);
    held = held.slice(handled);
    if (held.length > 0) timer = setTimeout(readOn, 0);
    else if (pace.aheadMs() > 0) timer = setTimeout(readOn, lookEveryMs);
    else {
      timer = undefined;
      socket.resume();
    }
  };
  socket.on('message', (data, isBinary) => {
    const message = { data: data as Buffer, isBinary };
    pace.count(Math.ceil(message.data.length / bytesOfOne) || 1);
    if (timer && !isDiscarding) held.push(message);
    else if (!isDiscarding) handle(message);
    stopIfAbove();
  });
  for (const event of ['ping', 'pong'])
    socket.on(event, () => {
      pace.count();
      stopIfAbove();
    });
  const stopIfAbove = () => {
    if (!timer && (pace.aheadMs() > 0 || (!isDiscarding && isAbove(1)))) stop();
  };

  return {
    get isStopped() {
      return timer !== undefined;
    },
    discard() {
      isDiscarding = true;
      held = [];
      if (!timer) return;
      clearTimeout(timer);
      readOn();
    },
  };
}
