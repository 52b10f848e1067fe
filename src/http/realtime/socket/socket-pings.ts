import { WebSocket } from 'ws';
import { maxUnreadBytes } from './socket-intake.ts';

/**
 * Answers pings. Only the last of several that come together gets an answer (RFC 6455, section 5.5.3, allows that), and none does
 * while the client reads nothing. So a flood of pings neither fills our memory nor keeps us busy with answers.
 */
export function answerPings(socket: WebSocket): void {
  let unanswered: Buffer | undefined;
  socket.on('ping', (data) => {
    if (unanswered === undefined) setImmediate(answer);
    unanswered = data;
  });

  function answer(): void {
    const data = unanswered!;
    unanswered = undefined;
    if (socket.readyState === WebSocket.OPEN && socket.bufferedAmount < maxUnreadBytes) socket.pong(data);
  }
}
