/** A throw-away Redis server, for what several nodes share. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { installPackage } from './debian-package.ts';

export type RedisServer = AsyncDisposable & {
  url: string;
  /** Ends it in good order; what it holds is there again when it starts. */
  stop(): Promise<void>;
  /** At the same address, with what it held. */
  start(): Promise<void>;
  /** As a power failure would. */
  kill(): Promise<void>;
  /** Takes connections and answers nothing, until it is thawed. */
  freeze(): void;
  thaw(): void;
};

type Options = {
  /** One that keeps nothing is empty whenever it starts. */
  keepsData?: boolean;
  /** A file of settings, for users and passwords. */
  configPath?: string;
};

/** The server, or the sentence that says why there is none. */
export async function startRedis(options: Options = {}): Promise<RedisServer | string> {
  const { keepsData = true, configPath } = options;
  if (!findProgram()) installPackage('redis-server');
  const program = findProgram();
  if (!program)
    return 'Redis is not installed and could not be. Install it (Debian: apt-get install redis-server) to test with it.';
  const folder = await mkdtemp(join(tmpdir(), 'siann-redis-'));
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  const settings = [
    ...(configPath ? [configPath] : []),
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--dir',
    folder,
    '--save',
    '',
  ];
  const kept = keepsData ? ['--appendonly', 'yes', '--appendfsync', 'everysec'] : ['--appendonly', 'no'];
  const durable = [...kept, '--maxmemory-policy', 'noeviction'];
  let server: ChildProcess | undefined;

  const start = async () => {
    if (server) return;
    server = spawn(program, [...settings, ...durable], { cwd: folder, stdio: 'ignore' });
    await untilAnswering(url, server);
  };
  const end = async (signal: NodeJS.Signals) => {
    const ending = server;
    server = undefined;
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return;
    const exited = once(ending, 'exit');
    ending.kill(signal);
    // One that is frozen ends when it is thawed.
    ending.kill('SIGCONT');
    await exited;
  };
  await start();
  return {
    url,
    start,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    freeze: () => void server?.kill('SIGSTOP'),
    thaw: () => void server?.kill('SIGCONT'),
    async [Symbol.asyncDispose]() {
      await end('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function findProgram(): string | undefined {
  const folders = ['/usr/bin', ...(process.env.PATH ?? '').split(':')];
  return folders.map((folder) => join(folder, 'redis-server')).find((path) => existsSync(path));
}

async function freePort(): Promise<number> {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const { port } = holder.address() as { port: number };
  holder.close();
  await once(holder, 'close');
  return port;
}

async function untilAnswering(url: string, server: ChildProcess): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    const answer = await ping(Number(new URL(url).port)).catch((error: Error) => error.message);
    // One that wants a password answers too.
    if (/^(\+PONG|-NOAUTH)/.test(answer)) return;
    if (attempt >= 300 || server.exitCode !== null) throw new Error(`Redis did not start: ${answer}`);
    await delay(50);
  }
}

async function ping(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  try {
    socket.end('PING\r\n');
    const [answer] = await once(socket, 'data');
    return String(answer);
  } finally {
    socket.destroy();
  }
}
