import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Environment } from '../../src/accounts/admission.ts';

const command = fileURLToPath(new URL('../../bin/siann.mjs', import.meta.url));

export type ServeOptions = {
  dataFolder: string;
  /** Settings beside the data folder; those of this process do not count. */
  env: Record<string, string>;
  /** The ports it had before, so that clients find it again. */
  ports?: Record<Environment, number>;
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
  const { dataFolder, ports, env, nodeOptions = [] } = options;
  const logFile = join(dataFolder, `serve-${Date.now()}-${Math.random().toString(36).slice(2)}.log`);
  const output = openSync(logFile, 'a');
  const child = spawn(process.execPath, [...nodeOptions, command, 'serve'], {
    stdio: ['ignore', output, output],
    env: {
      ...withoutSettings(process.env),
      SIANN_DATA: dataFolder,
      SIANN_PORT: String(ports?.live ?? 0),
      SIANN_TEST_PORT: String(ports?.test ?? 0),
      SIANN_INSTANCE: 'bench',
      ...env,
    },
  });
  closeSync(output);
  const ended = once(child, 'exit');
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  const log = () => readLines(logFile);
  const end = async (signal: NodeJS.Signals) => {
    if (isRunning()) child.kill(signal);
    await ended;
  };

  const listening = await untilListening(child, logFile);
  const ca = await readFile(join(dataFolder, 'tls', 'ca.pem'), 'utf8');
  await untilReady(listening.live, ca, isRunning);
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

async function untilReady(port: number, ca: string, isRunning: () => boolean): Promise<void> {
  while ((await statusOf(port, '/readyz', ca)) !== 200) {
    if (!isRunning()) throw new Error('The service ended while it was starting.');
    await sleep(20);
  }
}

function statusOf(port: number, path: string, ca: string): Promise<number> {
  return new Promise((resolve) => {
    const asked = request({ host: '127.0.0.1', servername: 'localhost', port, path, ca, agent: false });
    asked.on('error', () => resolve(0));
    asked.on('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    asked.end();
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
