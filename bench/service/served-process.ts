import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { get as getPlain } from 'node:http';
import { get } from 'node:https';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Environment } from '../../wire/account.ts';

const command = fileURLToPath(new URL('../../bin/siann.mjs', import.meta.url));

export type ServeOptions = {
  dataFolder: string;
  /** Settings beside the data folder; those of this process do not count. */
  env: Record<string, string>;
  /** The ports it had before, so that clients find it again. */
  ports?: Record<Environment, number>;
  /** What it does in a cluster; a worker has to be told its ports. */
  role?: 'api' | 'worker';
  /** Options of Node.js itself. */
  nodeOptions?: string[];
};

/** A `siann serve` as an operator would start it. */
export type ServedProcess = AsyncDisposable & {
  pid: number;
  ports: Record<Environment, number>;
  ca: string;
  /** As a crash would end it. */
  kill(): Promise<void>;
  /** As an operator would. */
  stop(): Promise<void>;
  isRunning(): boolean;
  /** The lines logged since it was started. */
  log(): Record<string, unknown>[];
  /** Of the process itself and of those it has started. */
  footprint(): Promise<Footprint>;
};

export type Footprint = { residentBytes: number; childBytes: number; openFiles: number; children: number[] };

export async function serve(options: ServeOptions): Promise<ServedProcess> {
  const { dataFolder, ports, env, role, nodeOptions = [] } = options;
  const logFile = join(dataFolder, `serve-${Date.now()}-${Math.random().toString(36).slice(2)}.log`);
  const output = openSync(logFile, 'a');
  const child = spawn(
    process.execPath,
    [...nodeOptions, command, 'serve', ...(role ? ['--role', role] : [])],
    {
      stdio: ['ignore', output, output],
      env: {
        ...withoutSettings(process.env),
        SIANN_DATA: dataFolder,
        SIANN_PORT: String(ports?.live ?? 0),
        SIANN_TEST_PORT: String(ports?.test ?? 0),
        SIANN_INSTANCE: 'bench',
        ...env,
      },
    },
  );
  closeSync(output);
  const ended = once(child, 'exit');
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  const log = () => readLines(logFile);
  const end = async (signal: NodeJS.Signals) => {
    if (isRunning()) child.kill(signal);
    await ended;
  };

  const isWorker = role === 'worker' && ports;
  const listening = isWorker ? ports : await untilListening(child, logFile);
  const ca = isWorker ? '' : await readFile(join(dataFolder, 'tls', 'ca.pem'), 'utf8');
  while ((await statusOf('/readyz', listening.live, ca)) !== 200) {
    if (!isRunning()) throw new Error(`The service did not start: ${readFileSync(logFile, 'utf8')}`);
    await sleep(20);
  }
  return {
    pid: child.pid!,
    ports: listening,
    ca,
    isRunning,
    log,
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    footprint: () => footprintOf(child.pid!),
    [Symbol.asyncDispose]: () => end('SIGKILL'),
  };
}

function withoutSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('SIANN_')));
}

async function untilListening(child: ChildProcess, logFile: string): Promise<Record<Environment, number>> {
  for (;;) {
    const line = readLines(logFile).find(({ msg }) => msg === 'listening');
    if (line) return { live: portOf(line.live), test: portOf(line.test) };
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`The service did not start: ${readFileSync(logFile, 'utf8')}`);
    await sleep(20);
  }
}

function portOf(address: unknown): number {
  return Number(new URL(String(address)).port);
}

function readLines(file: string): Record<string, unknown>[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line));
}

/** The status of the answer, 0 when none came. A worker has no certificate and answers in plain HTTP. */
export function statusOf(path: string, port: number, ca: string): Promise<number> {
  return new Promise((resolve) => {
    const address = { host: '127.0.0.1', servername: 'localhost', port, path, agent: false };
    const asked = ca === '' ? getPlain(address) : get({ ...address, ca });
    asked.setTimeout(5_000, () => asked.destroy());
    asked.on('error', () => resolve(0));
    asked.on('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
  });
}

async function footprintOf(pid: number): Promise<Footprint> {
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).split(' ').filter(Boolean);
  const childBytes = await Promise.all(children.map((child) => residentBytes(Number(child))));
  return {
    residentBytes: await residentBytes(pid),
    childBytes: childBytes.reduce((sum, bytes) => sum + bytes, 0),
    openFiles: (await readdir(`/proc/${pid}/fd`)).length,
    children: children.map(Number),
  };
}

async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
}
