import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Hardly any client sends a second request before the first one is answered. */
const maxUnanswered = 16;

/**
 * Node.js takes all requests that have come on a connection at once, thousands of them if they are small, and keeps the answers
 * until those before them are sent. Here a request is begun when the one before it has been answered, and a connection on which too
 * many wait is closed, so that it neither holds up others nor fills the memory. When a connection closes, Node.js tells the first
 * answer only; here the others learn it too.
 */
export function boundPipelines(handler: RequestListener): RequestListener {
  const unanswered = new WeakMap<Socket, Set<ServerResponse>>();

  const answersOf = (socket: Socket) => {
    const known = unanswered.get(socket);
    if (known) return known;
    const answers = new Set<ServerResponse>();
    unanswered.set(socket, answers);
    socket.once('close', () => {
      for (const answer of answers) if (!answer.socket) abandon(answer);
    });
    return answers;
  };

  return (request, response) => {
    const { socket } = request;
    if (socket.destroyed) return;
    const answers = answersOf(socket);
    if (answers.size >= maxUnanswered) {
      socket.destroy();
      return;
    }
    const before = [...answers].at(-1);
    answers.add(response);
    response.once('close', () => answers.delete(response));
    if (!before) handler(request, response);
    else
      before.once('close', () => {
        if (socket.destroyed) return;
        // The answer before had a time in which it had to be read, and Node.js ends that only when the connection is idle.
        socket.setTimeout(0);
        handler(request, response);
      });
  };
}

function abandon(answer: ServerResponse): void {
  answer.destroy();
  answer.emit('close');
}
