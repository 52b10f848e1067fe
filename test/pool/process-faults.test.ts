/** Real processes, really killed, hung, grown and orphaned. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ServiceError } from '../../src/errors/service-error.ts';
import { createLocalDispatcher, type LocalDispatcherOptions } from '../../src/pool/local-dispatcher.ts';
import type { ScriptedResult } from '../contract/scripted-job.ts';
import type { FaultyJob, FaultySettings } from './fixtures/faulty-job.ts';

const file = { requestId: 'a', priority: 'file' } as const;
const mebibyte = 2 ** 20;

describe('when an inference process fails', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'siann-faults-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  it('a job whose process is killed from outside is run again in another one', async () => {
    await using dispatcher = createFaulty({});
    const { pid } = await dispatcher.run({}, file);
    const triesFile = join(folder, 'killed');
    const untilExists = join(folder, 'killed already');
    const job = dispatcher.run({ untilExists, echo: 'survived', triesFile }, file);
    await untilTried(triesFile);
    process.kill(pid, 'SIGKILL');
    writeFileSync(untilExists, '');
    const result = await job;
    assert.equal(result.echo, 'survived');
    assert.notEqual(result.pid, pid);
    assert.equal(triesIn(triesFile), 2);
    assert.equal(dispatcher.stats().restarts, 1);
  });

  it('a job that kills its process twice fails as retryable, and is not tried a third time', async () => {
    await using dispatcher = createFaulty({});
    const triesFile = join(folder, 'deadly');
    await assert.rejects(dispatcher.run({ die: 'always', triesFile }, file), (error) => {
      assert(error instanceof ServiceError && error.retryable);
      assert.equal(error.code, 'internal_error');
      assert.match(String(error.cause), /ended by SIGKILL/);
      return true;
    });
    assert.equal(triesIn(triesFile), 2);
    assert.equal((await dispatcher.run({ echo: 'on' }, file)).echo, 'on');
  });

  it('a deadly job does not take its neighbours with it', async () => {
    await using dispatcher = createFaulty({ slots: 4 });
    await dispatcher.ready();
    const neighbours = [1, 2, 3].map((echo) => dispatcher.run({ echo, sleepMs: 100 }, file));
    const deadly = assert.rejects(dispatcher.run({ die: 'always', sleepMs: 50 }, file), isInternalError);
    const results = await Promise.all(neighbours);
    assert.deepEqual(
      results.map((result) => result.echo),
      [1, 2, 3],
    );
    await deadly;
  });

  it('a job that is tried again goes before jobs that wait', async () => {
    await using dispatcher = createFaulty({});
    await dispatcher.ready();
    const order: unknown[] = [];
    const note = (result: ScriptedResult) => order.push(result.echo);
    await Promise.all([
      dispatcher.run({ echo: 1, sleepMs: 20, die: { unlessExists: join(folder, 'died') } }, file).then(note),
      dispatcher.run({ echo: 2 }, file).then(note),
      dispatcher.run({ echo: 3 }, { ...file, requestId: 'c' }).then(note),
    ]);
    assert.deepEqual(order, [1, 2, 3]);
  });

  it('a process that hangs is killed and its job tried once more', async () => {
    await using dispatcher = createFaulty({ silenceTimeoutMs: 400, memoryReportMs: 50 });
    await dispatcher.ready();
    const triesFile = join(folder, 'hung');
    await assert.rejects(dispatcher.run({ hang: true, triesFile }, file), (error) => {
      assert(isInternalError(error));
      assert.match(String((error as Error).cause), /said nothing for 400 ms/);
      return true;
    });
    assert.equal(triesIn(triesFile), 2);
  });

  it('a process is not blamed for the time in which this one stood still', async () => {
    await using dispatcher = createFaulty({ silenceTimeoutMs: 400, memoryReportMs: 50 });
    const triesFile = join(folder, 'paused');
    const job = dispatcher.run({ sleepMs: 900, triesFile, echo: 'alive' }, file);
    await untilTried(triesFile);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);
    assert.equal((await job).echo, 'alive');
    assert.equal(triesIn(triesFile), 1);
  });

  it('a job that takes long in a process that lives is left alone, up to a limit', async () => {
    const lively = { silenceTimeoutMs: 400, memoryReportMs: 50 };
    await using patient = createFaulty(lively);
    assert.equal((await patient.run({ sleepMs: 1_000, echo: 'late' }, file)).echo, 'late');
    await using strict = createFaulty({ ...lively, jobTimeoutMs: 600 });
    await assert.rejects(strict.run({ sleepMs: 60_000 }, file), (error) => {
      assert.match(String((error as Error).cause), /not answered within 600 ms/);
      return true;
    });
  });

  it('a process that ignores a cancellation is killed, and its other jobs are run again', async () => {
    await using dispatcher = createFaulty({ slots: 2, cancelGraceMs: 200 });
    const { pid } = await dispatcher.run({}, file);
    const controller = new AbortController();
    const triesFile = join(folder, 'deaf');
    const options = { ...file, signal: controller.signal };
    const deaf = dispatcher.run({ sleepMs: 60_000, deaf: true, triesFile }, options);
    const untilExists = join(folder, 'replaced');
    const neighbour = dispatcher.run({ untilExists, echo: 'neighbour' }, file);
    await untilTried(triesFile);
    controller.abort(new Error('the client left'));
    await assert.rejects(deaf, /the client left/);
    assert.equal(dispatcher.stats().busySlots, 2, 'the slot is taken until the process answers or is killed');
    while (dispatcher.stats().restarts === 0) await delay(5);
    writeFileSync(untilExists, '');
    const result = await neighbour;
    assert.equal(result.echo, 'neighbour');
    assert.notEqual(result.pid, pid);
  });

  it('a job that was cancelled is not run again when its process dies', async () => {
    await using dispatcher = createFaulty({});
    const { pid } = await dispatcher.run({}, file);
    const triesFile = join(folder, 'cancelled');
    const controller = new AbortController();
    const options = { ...file, signal: controller.signal };
    const deaf = dispatcher.run({ sleepMs: 60_000, deaf: true, triesFile }, options);
    await untilTried(triesFile);
    controller.abort();
    await assert.rejects(deaf, { name: 'AbortError' });
    process.kill(pid, 'SIGKILL');
    await dispatcher.run({}, file);
    assert.equal(triesIn(triesFile), 1);
  });

  it('a process above its memory limit finishes its jobs and is then replaced', async () => {
    await using dispatcher = createFaulty({ slots: 2, memoryLimitBytes: 180 * mebibyte, memoryReportMs: 20 });
    const { pid } = await dispatcher.run({}, file);
    const running = dispatcher.run({ sleepMs: 300 }, file);
    await dispatcher.run({ growBytes: 150 * mebibyte }, file);
    const later = dispatcher.run({}, file);
    assert.equal((await running).pid, pid);
    assert.notEqual((await later).pid, pid);
    assert.equal(dispatcher.stats().restarts, 1);
    assert(dispatcher.stats().rssBytes < 180 * mebibyte);
  });

  it('a process far above its memory limit is killed at once', async () => {
    await using dispatcher = createFaulty({ memoryLimitBytes: 150 * mebibyte, memoryReportMs: 20 });
    await dispatcher.ready();
    const growing = dispatcher.run({ growBytes: 240 * mebibyte, sleepMs: 60_000 }, file);
    await assert.rejects(growing, (error) => {
      assert(isInternalError(error));
      assert.match(String((error as Error).cause), /its limit is 150 MiB/);
      return true;
    });
  });

  it('a limit below what a process needs to start is said so', async () => {
    await using dispatcher = createFaulty({ memoryLimitBytes: 10 * mebibyte, startAttempts: 2 });
    await assert.rejects(dispatcher.ready(), /cannot start: .* of memory; its limit is 10 MiB/);
  });

  it('processes that cannot start reject ready and waiting jobs with the cause, and later jobs try again', async () => {
    const brokenWhile = join(folder, 'broken');
    writeFileSync(brokenWhile, '');
    await using dispatcher = createFaulty({ settings: { brokenWhile }, startAttempts: 3 });
    const waiting = assert.rejects(dispatcher.run({}, file), (error) => {
      assert(isInternalError(error));
      assert.match(String((error as Error).cause), /the weights are damaged/);
      return true;
    });
    await assert.rejects(dispatcher.ready(), {
      message: 'The inference process cannot start: the weights are damaged',
    });
    await waiting;
    rmSync(brokenWhile);
    assert.equal((await dispatcher.run({ echo: 'mended' }, file)).echo, 'mended');
  });

  it('a module that does not exist is named', async () => {
    const moduleUrl = new URL('./no-such-job.ts', import.meta.url);
    await using dispatcher = createFaulty({ moduleUrl, startAttempts: 1 });
    await assert.rejects(dispatcher.ready(), /cannot start: .*no-such-job/);
  });

  it('an answer that cannot be sent fails its job alone', async () => {
    await using dispatcher = createFaulty({});
    await assert.rejects(dispatcher.run({ answer: 'function' }, file), /could not be cloned/);
    assert.equal((await dispatcher.run({ echo: 2 }, file)).echo, 2);
    assert.equal(dispatcher.stats().restarts, 0);
  });

  it('Ctrl-C does not end a process in the middle of a job', async () => {
    await using dispatcher = createFaulty({});
    const { pid } = await dispatcher.run({}, file);
    const job = dispatcher.run({ sleepMs: 150 }, file);
    process.kill(pid, 'SIGINT');
    process.kill(pid, 'SIGTERM');
    assert.equal((await job).pid, pid);
  });

  it('jobs that outlast the drain are refused as shutting down, and their processes end', async () => {
    const dispatcher = createFaulty({ drainMs: 100 });
    const { pid } = await dispatcher.run({}, file);
    const endless = assert.rejects(
      dispatcher.run({ sleepMs: 60_000 }, file),
      (error) => error instanceof ServiceError && error.code === 'shutting_down',
    );
    await dispatcher[Symbol.asyncDispose]();
    await endless;
    assert.equal(isAlive(pid), false);
  });

  it('processes end when their parent is killed', async () => {
    const script = fileURLToPath(new URL('./fixtures/parent.ts', import.meta.url));
    const parent = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), script], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = await once(parent.stdout, 'data');
    const pids: number[] = JSON.parse(String(line));
    assert.equal(new Set(pids).size, 2);
    parent.kill('SIGKILL');
    const deadline = AbortSignal.timeout(5_000);
    while (pids.some(isAlive)) await delay(10, undefined, { signal: deadline });
  });
});

function createFaulty(options: Partial<LocalDispatcherOptions<FaultySettings>>) {
  return createLocalDispatcher<FaultySettings, FaultyJob, ScriptedResult>({
    moduleUrl: new URL('./fixtures/faulty-job.ts', import.meta.url),
    settings: {},
    processes: 1,
    slots: 1,
    ...options,
  });
}

function triesIn(path: string): number {
  return readFileSync(path, 'utf8').split('\n').length - 1;
}

async function untilTried(path: string): Promise<void> {
  const deadline = AbortSignal.timeout(5_000);
  while (!existsSync(path) || triesIn(path) === 0) await delay(5, undefined, { signal: deadline });
}

function isInternalError(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'internal_error' && error.retryable;
}

/** A process that ended but that nobody has waited for (no init in the container) still takes signals. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
}
