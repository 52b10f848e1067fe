/** Stands between a client and PostgreSQL, and can cut the connection after a commit has passed and before its answer. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { TemporaryDatabase } from '../../bench/servers/temporary-database.ts';

export type CommitCutter = TemporaryDatabase & {
  /** How many of the next commits shall be carried out without an answer. */
  cutCommits: number;
};

export async function cutCommitsOf(database: TemporaryDatabase): Promise<CommitCutter> {
  const target = new URL(database.url);
  const path = join(target.searchParams.get('host')!, '.s.PGSQL.5432');
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(path);
    let cutting = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        if (socket === client || !cutting) (socket === client ? upstream : client).destroy();
      });
    }
    client.on('data', (chunk) => {
      upstream.write(chunk);
      if (cutter.cutCommits === 0 || !/commit\0/i.test(chunk.toString('latin1'))) return;
      cutter.cutCommits -= 1;
      cutting = true;
    });
    upstream.on('data', (chunk) => {
      // The first thing said after the commit is that it was done.
      if (cutting) client.destroy();
      else client.write(chunk);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const cutter: CommitCutter = {
    url: `postgres://siann@127.0.0.1:${port}${target.pathname}`,
    cutCommits: 0,
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await database[Symbol.asyncDispose]();
    },
  };
  return cutter;
}
