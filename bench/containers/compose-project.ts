import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
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
  /** Ends a container's first process, as a crash does. Docker starts it again by itself. */
  crash(container: Container): Promise<void>;
  /** Ends one of the processes that a container's first process has started; false when there is none. */
  crashChild(container: Container, pick: (pids: number[]) => number): Promise<boolean>;
  /** Resolves when Docker has it running, and it says that it can work. */
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
  const addressOf = (service: Service) =>
    inspect(first(service).name, '{{range .NetworkSettings.Networks}}{{println .IPAddress}}{{end}}').then(
      (text) => text.split('\n')[0]!,
    );

  return {
    port: Number(process.env.SIANN_PORT ?? 8443),
    ca: secret('tls.pem'),
    containers: containers.sort((one, other) => (one.name < other.name ? -1 : 1)),
    siann: (...args) => docker('exec', first('api').name, 'siann', ...args),
    async crash({ name }) {
      const pid = Number(await inspect(name, '{{.State.Pid}}'));
      if (pid > 0) kill(pid);
    },
    async crashChild({ name }, pick) {
      const own = Number(await inspect(name, '{{.State.Pid}}'));
      const pids = childrenOf(own).filter(isSiannsOwn);
      if (pids.length === 0) return false;
      kill(pick(pids));
      return true;
    },
    async ready({ name, service }) {
      const deadline = performance.now() + readyWithinMs;
      for (;;) {
        const state = await inspect(
          name,
          '{{.State.Running}} {{if .State.Health}}{{.State.Health.Status}}{{end}}',
        );
        if (state === 'true healthy' || (state === 'true' && service === 'balancer')) return;
        if (performance.now() > deadline)
          throw new Error(`${name} is not ready within two minutes: ${state}`);
        await sleep(250);
      }
    },
    async withDatabase(look) {
      const url = `postgres://siann:${secret('postgres-password')}@${await addressOf('postgres')}/siann`;
      await using database = await openDatabase({ url });
      return await look(database);
    },
    redisUrl: async () =>
      `redis://observer:${process.env.SIANN_BENCH_OBSERVER}@${await addressOf('redis')}:6379`,
  };
}

async function docker(...args: string[]): Promise<string> {
  const { stdout } = await run('docker', args, { maxBuffer: 16 * 1024 * 1024 });
  return stdout.trim();
}

function inspect(name: string, format: string): Promise<string> {
  return docker('inspect', '--format', format, name);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself in the meantime.
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
