/** What every Dispatcher must do, whether its workers are local processes or other machines. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { ServiceError } from '../../src/errors/service-error.ts';
import type { Dispatcher, Priority } from '../../src/pool/dispatcher.ts';
import { createGateFiles } from '../support/gate-files.ts';
import type { ScriptedJob, ScriptedResult } from './scripted-job.ts';

export type ContractOptions = { moduleUrl: URL; processes: number; slots: number };
type ScriptedDispatcher = Dispatcher<ScriptedJob, ScriptedResult>;
type Create = (options: ContractOptions) => ScriptedDispatcher | Promise<ScriptedDispatcher>;

const moduleUrl = new URL('./scripted-job.ts', import.meta.url);
const file = { requestId: 'a', priority: 'file' } as const;

export function dispatcherContract(name: string, create: Create): void {
  describe(`${name} keeps the dispatcher contract`, () => {
    const gates = createGateFiles();
    after(() => gates.remove());

    it('answers each job with its own result', async () => {
      await using dispatcher = await create({ moduleUrl, processes: 2, slots: 2 });
      const echoes = Array.from({ length: 20 }, (_, echo) => echo);
      const results = await Promise.all(echoes.map((echo) => dispatcher.run({ echo }, file)));
      assert.deepEqual(
        results.map((result) => result.echo),
        echoes,
      );
    });

    it('carries typed arrays there and back', async () => {
      await using dispatcher = await create({ moduleUrl, processes: 1, slots: 1 });
      const pcm = Float32Array.from({ length: 480_000 }, (_, index) => (index % 7) / 8);
      const result = await dispatcher.run({ sum: pcm }, file);
      assert.equal(
        result.sum,
        pcm.reduce((total, sample) => total + sample, 0),
      );
      assert.deepEqual(result.pcm, pcm);
    });

    it('rejects with the error that the job threw, and does not try it again', async () => {
      await using dispatcher = await create({ moduleUrl, processes: 1, slots: 1 });
      await assert.rejects(dispatcher.run({ fail: { message: 'no such window' } }, file), (error: Error) => {
        assert.equal(error.name, 'RangeError');
        assert.equal(error.message, 'no such window');
        assert.match(error.stack ?? '', /scripted-job/);
        return true;
      });
      const fail = { message: 'language: must be one of zh, nan, en.', code: 'invalid_value' } as const;
      await assert.rejects(dispatcher.run({ fail }, file), (error) => {
        assert(error instanceof ServiceError);
        assert.equal(error.code, 'invalid_value');
        assert.equal(error.message, fail.message);
        return true;
      });
    });

    it('runs interactive jobs before file jobs that were there earlier', async () => {
      await using dispatcher = await create({ moduleUrl, processes: 1, slots: 1 });
      const order = await orderOfAnswers(dispatcher, [
        ['file 1', 'a', 'file'],
        ['file 2', 'b', 'file'],
        ['live 1', 'c', 'interactive'],
        ['live 2', 'd', 'interactive'],
      ]);
      assert.deepEqual(order, ['live 1', 'live 2', 'file 1', 'file 2']);
    });

    it('serves requests round robin, so that a long file does not hold up a short one', async () => {
      await using dispatcher = await create({ moduleUrl, processes: 1, slots: 1 });
      const long = Array.from({ length: 20 }, (_, index) => [`long ${index}`, 'long', 'file'] as const);
      const order = await orderOfAnswers(dispatcher, [
        ...long,
        ['short 0', 'short', 'file'],
        ['short 1', 'short', 'file'],
      ]);
      assert.deepEqual(order.slice(0, 5), ['long 0', 'short 0', 'long 1', 'short 1', 'long 2']);
    });

    it('refuses a job whose signal is already aborted', async () => {
      await using dispatcher = await create({ moduleUrl, processes: 1, slots: 1 });
      const reason = new Error('the client left');
      const signal = AbortSignal.abort(reason);
      await assert.rejects(dispatcher.run({ echo: 1 }, { ...file, signal }), reason);
    });

    it('gives up a waiting job at once when it is cancelled', async () => {
      await using dispatcher = await create({ moduleUrl, processes: 1, slots: 1 });
      const running = dispatcher.run({ sleepMs: 300, echo: 'running' }, file);
      const { signal, reason, cancel } = cancellation();
      const waiting = dispatcher.run({ echo: 'waiting' }, { ...file, signal });
      cancel();
      await assert.rejects(waiting, reason);
      assert.equal((await running).echo, 'running');
    });

    it('rejects a running job promptly when it is cancelled, and uses its slot again', async () => {
      await using dispatcher = await create({ moduleUrl, processes: 1, slots: 1 });
      await dispatcher.run({}, file);
      const { signal, reason, cancel } = cancellation();
      const beginsFile = gates.path('running');
      const running = dispatcher.run({ beginsFile, sleepMs: 60_000 }, { ...file, signal });
      void gates.opened('running').then(cancel);
      await assert.rejects(running, reason);
      assert.equal((await dispatcher.run({ echo: 'next' }, file)).echo, 'next');
    });

    it('lets running jobs finish when it is disposed of, and refuses new and waiting ones', async () => {
      const dispatcher = await create({ moduleUrl, processes: 1, slots: 1 });
      await dispatcher.run({}, file);
      const untilExists = gates.path('may finish');
      const running = dispatcher.run(
        { beginsFile: gates.path('begun'), untilExists, echo: 'finished' },
        file,
      );
      const waiting = assert.rejects(dispatcher.run({}, file), isShuttingDown);
      await gates.opened('begun');
      const disposed = dispatcher[Symbol.asyncDispose]();
      await assert.rejects(dispatcher.run({}, file), isShuttingDown);
      await waiting;
      gates.open('may finish');
      assert.equal((await running).echo, 'finished');
      await disposed;
      await dispatcher[Symbol.asyncDispose]();
    });
  });
}

/** Fills the only slot, queues the jobs behind it and gives the order in which they were answered. */
async function orderOfAnswers(
  dispatcher: ScriptedDispatcher,
  jobs: (readonly [echo: string, requestId: string, priority: Priority])[],
): Promise<unknown[]> {
  await dispatcher.run({}, file);
  const order: unknown[] = [];
  const first = dispatcher.run({ sleepMs: 100 }, { requestId: 'first', priority: 'file' });
  await Promise.all(
    jobs.map(async ([echo, requestId, priority]) => {
      const result = await dispatcher.run({ echo }, { requestId, priority });
      order.push(result.echo);
    }),
  );
  await first;
  return order;
}

function cancellation() {
  const controller = new AbortController();
  const reason = new Error('the client left');
  return { signal: controller.signal, reason, cancel: () => controller.abort(reason) };
}

function isShuttingDown(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'shutting_down';
}
