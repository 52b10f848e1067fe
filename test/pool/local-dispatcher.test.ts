import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ServiceError } from '../../src/errors/service-error.ts';
import { createLocalDispatcher } from '../../src/pool/local-dispatcher.ts';
import { dispatcherContract } from '../contract/dispatcher-contract.ts';
import type { ScriptedJob, ScriptedResult } from '../contract/scripted-job.ts';
import { createGateFiles } from '../support/gate-files.ts';
import type { VoiceJob } from './fixtures/voice-graph-job.ts';

const file = { requestId: 'a', priority: 'file' } as const;
const live = { requestId: 'b', priority: 'interactive' } as const;

dispatcherContract('the local dispatcher', (options) => createLocalDispatcher({ ...options, settings: {} }));

describe('the local dispatcher', () => {
  const gates = createGateFiles();
  after(() => gates.remove());

  it('keeps slots free for interactive jobs', async () => {
    await using dispatcher = createScripted({ slots: 3, interactiveSlots: 1 });
    await dispatcher.ready();
    const untilExists = gates.path('files');
    const files = [1, 2, 3, 4].map(() => dispatcher.run({ untilExists }, file));
    assert.deepEqual(busyAndQueued(dispatcher), [2, 2]);
    await dispatcher.run({}, live);
    assert.deepEqual(busyAndQueued(dispatcher), [2, 2]);
    gates.open('files');
    await Promise.all(files);
  });

  it('keeps a slot free for what is being spoken, whatever else waits', async () => {
    await using dispatcher = createScripted({ slots: 3, interactiveSlots: 1, realtimeSlots: 1 });
    await dispatcher.ready();
    const untilExists = gates.path('others');
    const others = [file, file, live, live].map((options) => dispatcher.run({ untilExists }, options));
    assert.deepEqual(busyAndQueued(dispatcher), [2, 2]);
    await dispatcher.run({}, { requestId: 'c', priority: 'realtime' });
    assert.deepEqual(busyAndQueued(dispatcher), [2, 2]);
    gates.open('others');
    await Promise.all(others);
  });

  it('spreads jobs over the least busy processes', async () => {
    await using dispatcher = createScripted({ processes: 2, slots: 2 });
    while (dispatcher.stats().processes < 2) await dispatcher.run({ sleepMs: 10 }, file);
    const untilExists = gates.path('spread');
    const running = [1, 2, 3, 4].map(() => dispatcher.run({ untilExists }, file));
    gates.open('spread');
    const pids = (await Promise.all(running)).map((result) => result.pid);
    assert.equal(new Set(pids.slice(0, 2)).size, 2);
    assert.equal(pids.filter((pid) => pid === pids[0]).length, 2);
  });

  it('refuses jobs beyond the waiting line, but not ones that can start at once', async () => {
    await using dispatcher = createScripted({ maxQueued: 2 });
    await dispatcher.ready();
    const untilExists = gates.path('accepted');
    const accepted = [1, 2, 3].map(() => dispatcher.run({ untilExists }, file));
    await assert.rejects(dispatcher.run({}, file), (error) => hasCode(error, 'overloaded'));
    assert.equal(dispatcher.stats().queued, 2);
    gates.open('accepted');
    await Promise.all(accepted);
  });

  it('gives each process as many jobs at once as it has slots, for it to batch', async () => {
    await using dispatcher = createLocalDispatcher<object, object, { batchSize: number }>({
      moduleUrl: new URL('./fixtures/batching-job.ts', import.meta.url),
      settings: { gatherMs: 100 },
      processes: 1,
      slots: 4,
    });
    await dispatcher.ready();
    const results = await Promise.all(Array.from({ length: 8 }, () => dispatcher.run({}, file)));
    assert.deepEqual(
      results.map((result) => result.batchSize),
      Array(8).fill(4),
    );
  });

  it('sends only the part of a buffer that a typed array shows', async () => {
    await using dispatcher = createScripted({});
    const view = new Float32Array(16 * 2 ** 20).fill(1).subarray(1_000, 2_000);
    const result = await dispatcher.run({ sum: view }, file);
    assert.equal(result.sum, 1_000);
    assert(result.bufferBytes && result.bufferBytes < 128 * 1_024, `${result.bufferBytes} bytes arrived`);
  });

  it('rejects a job that cannot be sent, and goes on', async () => {
    await using dispatcher = createScripted({});
    const unsendable = { echo: (() => 1) as unknown as number };
    await assert.rejects(dispatcher.run(unsendable, file), /could not be cloned/);
    assert.equal((await dispatcher.run({ echo: 2 }, file)).echo, 2);
    assert.deepEqual(busyAndQueued(dispatcher), [0, 0]);
  });

  it('leaves no listeners on a signal that many jobs shared', async () => {
    await using dispatcher = createScripted({ slots: 8 });
    const warnings: Error[] = [];
    const note = (warning: Error) => warnings.push(warning);
    process.on('warning', note);
    const { signal } = new AbortController();
    await Promise.all(
      Array.from({ length: 500 }, (_, echo) => dispatcher.run({ echo }, { ...file, signal })),
    );
    process.off('warning', note);
    assert.deepEqual(warnings, []);
    assert.equal(getEventListeners(signal, 'abort').length, 0);
  });

  it('runs a real graph', async () => {
    const model = import.meta.resolve('@ricky0123/vad-web/dist/silero_vad_v6.onnx');
    await using dispatcher = createLocalDispatcher<{ path: string }, VoiceJob, { probability: number }>({
      moduleUrl: new URL('./fixtures/voice-graph-job.ts', import.meta.url),
      settings: { path: fileURLToPath(model) },
      processes: 1,
      slots: 1,
    });
    const { probability } = await dispatcher.run({ pcm: new Float32Array(576) }, file);
    assert(probability >= 0 && probability < 0.2, `silence is speech with probability ${probability}`);
  });
});

function createScripted(options: {
  processes?: number;
  slots?: number;
  interactiveSlots?: number;
  realtimeSlots?: number;
  maxQueued?: number;
}) {
  return createLocalDispatcher<object, ScriptedJob, ScriptedResult>({
    moduleUrl: new URL('../contract/scripted-job.ts', import.meta.url),
    settings: {},
    processes: 1,
    slots: 1,
    ...options,
  });
}

function busyAndQueued(dispatcher: ReturnType<typeof createScripted>): [number, number] {
  const { busySlots, queued } = dispatcher.stats();
  return [busySlots, queued];
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof ServiceError && error.code === code && error.retryable;
}
