import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ServiceError } from '../../src/errors/service-error.ts';
import { createLocalDispatcher } from '../../src/pool/local-dispatcher.ts';
import type { ScriptedJob, ScriptedResult } from '../contract/scripted-job.ts';

const jobs = 2_000;
const answersPerKill = 120;

describe('under random kills and cancellations', () => {
  it('each of 2,000 jobs is answered once, with its own result, its cancellation or a retryable error', async () => {
    const random = createRandom(20_261_115);
    await using dispatcher = createLocalDispatcher<object, ScriptedJob, ScriptedResult>({
      moduleUrl: new URL('../contract/scripted-job.ts', import.meta.url),
      settings: {},
      processes: 2,
      slots: 4,
      interactiveSlots: 1,
    });
    await dispatcher.ready();
    const counts = { right: 0, cancelled: 0, retryable: 0, kills: 0 };

    await Promise.all(Array.from({ length: jobs }, (_, echo) => runOne(echo)));

    assert.equal(counts.right + counts.cancelled + counts.retryable, jobs);
    assert(counts.kills >= 8, `only ${counts.kills} kills`);
    assert(counts.right > jobs * 0.8, JSON.stringify(counts));
    const { queued, busySlots } = dispatcher.stats();
    assert.equal(queued, 0);
    assert(busySlots <= counts.cancelled);

    async function runOne(echo: number): Promise<void> {
      const controller = new AbortController();
      const options = {
        requestId: `request ${echo % 13}`,
        priority: random() < 0.2 ? 'interactive' : 'file',
        signal: controller.signal,
      } as const;
      if (random() < 0.1) setTimeout(() => controller.abort('left'), random() * 3_000);
      try {
        const result = await dispatcher.run({ echo, sleepMs: Math.floor(random() * 4) }, options);
        assert.equal(result.echo, echo);
        counts.right++;
        if (counts.right % answersPerKill === 0) setTimeout(() => killProcess(result.pid), random() * 5);
      } catch (error) {
        if (error === 'left') counts.cancelled++;
        else if (error instanceof ServiceError && error.retryable) counts.retryable++;
        else throw error;
      }
    }

    function killProcess(pid: number): void {
      try {
        process.kill(pid, 'SIGKILL');
        counts.kills++;
      } catch {
        // An earlier kill had got it.
      }
    }
  });
});

/** Mulberry32: the same run for the same seed, as far as processes allow. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
