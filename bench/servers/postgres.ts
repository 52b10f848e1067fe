/** A throw-away PostgreSQL server, for benchmarks of a cluster and for suites that must pass on both engines. */
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { installPackage } from './debian-package.ts';
import type { TemporaryDatabase } from './temporary-database.ts';

export type PostgresServer = AsyncDisposable & {
  createDatabase(): Promise<TemporaryDatabase>;
  /** Ends it in good order, cutting off whoever is connected. */
  stop(): Promise<void>;
  /** At the same address, with what it held. */
  start(): Promise<void>;
  /** With all its processes at once, as a power failure would. */
  kill(): Promise<void>;
};

const run = promisify(execFile);
const isRoot = process.getuid?.() === 0;

/** The server, or the sentence that says why there is none. */
export async function startPostgres(): Promise<PostgresServer | string> {
  if (!findPrograms()) installPackage('postgresql');
  const programs = findPrograms();
  if (!programs)
    return 'PostgreSQL is not installed and could not be. Install it (Debian: apt-get install postgresql) to test with it.';
  const folder = await mkdtemp(join(tmpdir(), 'siann-postgres-'));
  // PostgreSQL refuses to run as root.
  const owner = isRoot ? await unprivilegedUser() : undefined;
  if (owner) await chown(folder, owner.uid, owner.gid);
  const data = join(folder, 'data');
  const options = ['--auth=trust', '--username=siann', '--encoding=UTF8', '--no-locale', '--no-sync'];
  await run(join(programs, 'initdb'), ['-D', data, ...options], { ...owner, cwd: folder });

  // On a socket in its own folder no port can be taken, and nobody else comes in.
  const settings = [
    'listen_addresses=',
    `unix_socket_directories=${folder}`,
    'fsync=off',
    'max_connections=120',
  ];
  const url = (database: string) =>
    `postgres://siann@localhost/${database}?host=${encodeURIComponent(folder)}`;
  let server: ChildProcess | undefined;

  const start = async () => {
    if (server) return;
    server = spawn(
      join(programs, 'postgres'),
      ['-D', data, ...settings.flatMap((setting) => ['-c', setting])],
      { ...owner, cwd: folder, stdio: 'ignore' },
    );
    await untilAnswering(url('postgres'), server);
  };
  const end = async (signal: NodeJS.Signals) => {
    const ending = server;
    server = undefined;
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return;
    const exited = once(ending, 'exit');
    const workers = signal === 'SIGKILL' ? childrenOf(ending.pid!) : [];
    ending.kill(signal);
    for (const worker of workers) killIfThere(worker);
    await exited;
  };
  await start();
  return {
    start,
    stop: () => end('SIGINT'),
    kill: () => end('SIGKILL'),
    async createDatabase() {
      const name = `siann_${randomBytes(6).toString('hex')}`;
      await execute(url('postgres'), `CREATE DATABASE ${name}`);
      return {
        url: url(name),
        [Symbol.asyncDispose]: () => execute(url('postgres'), `DROP DATABASE ${name} WITH (FORCE)`),
      };
    },
    async [Symbol.asyncDispose]() {
      await end('SIGQUIT');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function childrenOf(pid: number): number[] {
  const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' });
  return stdout.split('\n').filter(Boolean).map(Number);
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
}

/** Debian keeps the programs out of the path, one folder a version. */
function findPrograms(): string | undefined {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(debian, version, 'bin')),
    ...(process.env.PATH ?? '').split(':'),
  ];
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')));
}

async function unprivilegedUser(): Promise<{ uid: number; gid: number }> {
  for (const name of ['postgres', 'nobody']) {
    const { stdout } = await run('getent', ['passwd', name]).catch(() => ({ stdout: '' }));
    const [, , uid, gid] = stdout.split(':');
    if (uid && gid) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error('PostgreSQL does not run as root, and there is no other user to run it as.');
}

async function untilAnswering(url: string, server: { exitCode: number | null }): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await execute(url, 'SELECT 1');
    } catch (error) {
      if (attempt >= 300 || server.exitCode !== null) throw error;
      await delay(100);
    }
  }
}

async function execute(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
