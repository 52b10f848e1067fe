import type { Socket } from 'node:net';
import { ServiceError } from '../../errors/service-error.ts';
import { answerRaw } from '../server/raw-answer.ts';

const tlsHandshake = 0x16;
const firstByteMs = 4_000;

/**
 * Passes a connection on when it begins with TLS. One that speaks plain HTTP is answered that HTTPS is required, instead of
 * being closed without a word.
 */
export function expectTls(socket: Socket, onTls: (socket: Socket) => void): void {
  const deadline = setTimeout(() => socket.destroy(), firstByteMs);
  deadline.unref();
  const onError = () => socket.destroy();
  socket.on('error', onError);
  socket.once('close', () => clearTimeout(deadline));
  socket.once('data', (first) => {
    clearTimeout(deadline);
    socket.pause();
    if (first[0] === tlsHandshake) {
      socket.unshift(first);
      return onTls(socket);
    }
    socket.resume();
    if (!/^[A-Z]{3,20} /.test(first.toString('latin1', 0, 24))) return void socket.destroy();
    answerRaw(socket, new ServiceError('https_required'));
  });
}
