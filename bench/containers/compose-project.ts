import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import type { Database } from '../../src/storage/database.ts';
import { openDatabase } from '../../src/storage/open-database.ts';

const run = promisify(execFile);

export type Service = 'api' | 'worker' | 'redis' | 'postgres' | 'balancer';

/** A container of the project, which keeps its name from one life to the next. */
export type Container = { name: string; service: Service };

/** Containers that deploy/try.sh has brought up, seen from the machine that they run on. */
export type ComposeProject = {
  port: number;
  /** What clients trust. */
  ca: string;
  containers: Container[];
  /** Runs `siann …` in a container of the API, as an operator does, and gives what it prints. */
  siann(...args: string[]): Promise<string>;
  /** Ends a container's first process, as a crash does; false when it is not running. Docker starts it again by itself. */
  crash(container: Container): Promise<boolean>;
  /** Ends one of the processes that a container's first process has started; false when there is none. */
  crashChild(container: Container, pick: (pids: number[]) => number): Promise<boolean>;
  /** Resolves when it says that it can work. */
  ready(container: Container): Promise<void>;
  withDatabase<Result>(look: (database: Database) => Promise<Result>): Promise<Result>;
  redisUrl(): Promise<string>;
};

const readyWithinMs = 120_000;

export async function openComposeProject(): Promise<ComposeProject> {
  const folder = process.env.SIANN_BENCH_COMPOSE;
  if (!folder)
    throw new Error('There are no containers to measure. Run deploy/try.sh, which brings them up first.');
  const secret = (name: string) => readFileSync(join(folder, 'secrets', name), 'utf8');
  const project = process.env.COMPOSE_PROJECT_NAME ?? 'siann';
  const listed = await docker(
    'ps',
    '--all',
    '--filter',
    `label=com.docker.compose.project=${project}`,
    '--format',
    '{{.Names}} {{.Label "com.docker.compose.service"}}',
  );
  const containers = listed.split('\n').map((line) => {
    const [name = '', service] = line.split(' ');
    return { name, service: service as Service };
  });
  const first = (service: Service) => containers.find((container) => container.service === service)!;
  const databaseUrl = (address: string) => `postgres://siann:${secret('postgres-password')}@${address}/siann`;
  const redisUrl = (address: string) =>
    `redis://observer:${process.env.SIANN_BENCH_OBSERVER}@${address}:6379`;
  const isReady = async (address: string) =>
    (await fetch(`http://${address}:8443/readyz`, { signal: AbortSignal.timeout(3_000) })).status === 200;
  const answers: Record<Service, (address: string) => Promise<boolean>> = {
    api: isReady,
    worker: isReady,
    balancer: (address) => answersOn(address, 8443),
    redis: (address) => answersOn(address, 6379),
    async postgres(address) {
      const client = new pg.Client({
        connectionString: databaseUrl(address),
        connectionTimeoutMillis: 1_000,
      });
      client.on('error', () => {});
      await client.connect();
      await client.end();
      return true;
    },
  };

  return {
    port: Number(process.env.SIANN_PORT ?? 8443),
    ca: secret('tls.pem'),
    containers: containers.sort((one, other) => (one.name < other.name ? -1 : 1)),
    siann: (...args) => docker('exec', first('api').name, 'siann', ...args),
    async crash({ name }) {
      const pid = Number(await inspect(name, '{{.State.Pid}}'));
      return pid > 0 && kill(pid);
    },
    async crashChild({ name }, pick) {
      const own = Number(await inspect(name, '{{.State.Pid}}'));
      const pids = childrenOf(own).filter(isSiannsOwn);
      return pids.length > 0 && kill(pick(pids));
    },
    async ready({ name, service }) {
      const deadline = performance.now() + readyWithinMs;
      while (!(await answers[service](await addressOf(name)).catch(() => false))) {
        if (performance.now() > deadline) throw new Error(`${name} is not ready within two minutes.`);
        await sleep(100);
      }
    },
    async withDatabase(look) {
      await using database = await openDatabase({
        url: databaseUrl(await addressOf(first('postgres').name)),
      });
      return await look(database);
    },
    redisUrl: async () => redisUrl(await addressOf(first('redis').name)),
  };
}

async function docker(...args: string[]): Promise<string> {
  const { stdout } = await run('docker', args, { maxBuffer: 16 * 1024 * 1024 });
  return stdout.trim();
}

function inspect(name: string, format: string): Promise<string> {
  return docker('inspect', '--format', format, name);
}

/** In one of its networks; this machine reaches all of them. Empty while the container is not running. */
async function addressOf(name: string): Promise<string> {
  const all = await inspect(name, '{{range .NetworkSettings.Networks}}{{println .IPAddress}}{{end}}');
  return all.split('\n')[0]!;
}

async function answersOn(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port, timeout: 1_000 });
  try {
    await once(socket, 'connect');
    return true;
  } finally {
    socket.destroy();
  }
}

/** False when it ended by itself in the meantime. */
function kill(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}

/** All below it: docker-init is the first, the program the second. */
function childrenOf(pid: number): number[] {
  let children: number[];
  try {
    children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .split(' ')
      .filter(Boolean)
      .map(Number);
  } catch {
    return [];
  }
  return children.flatMap((child) => [child, ...childrenOf(child)]);
}

/** Inference and decoding run in processes with modules of Siann's own; others, such as the compiler, matter to nobody. */
function isSiannsOwn(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('/app/src/');
  } catch {
    return false;
  }
}
