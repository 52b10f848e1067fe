import { connect, type TLSSocket } from 'node:tls';

export type Target = { port: number; ca: string; key: string };

/** Something that one client, or many of one person's, does to a service that others use too. */
export type Attack = {
  /** In the words of the figures. */
  title: string;
  /** Goes on until the signal. Answers how many connections the service still held then, where that is the attack. */
  run(target: Target, until: AbortSignal): Promise<number | undefined>;
};

/** A connection on which anything may be written. It is given back broken when the service takes no more. */
export function dial({ port, ca }: Target): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', servername: 'localhost', port, ca });
  socket.on('error', () => {});
  return new Promise((resolve) => {
    socket.once('secureConnect', () => resolve(socket));
    socket.once('close', () => resolve(socket));
  });
}

/** Does the same again and again in so many places at once. A failure is what an attacker expects. */
export async function repeat(
  atOnce: number,
  until: AbortSignal,
  once: (round: number) => Promise<unknown>,
): Promise<undefined> {
  let round = 0;
  const attacker = async () => {
    while (!until.aborted) {
      await once(round++).catch(() => {});
      // Refusals come back at once: an attacker far away would not see them sooner.
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, attacker));
  return undefined;
}
