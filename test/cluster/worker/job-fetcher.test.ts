import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobIntake, TakenJob } from '../../../src/cluster/queue/job-intake.ts';
import { createJobFetcher } from '../../../src/cluster/worker/job-fetcher.ts';
import type { Priority } from '../../../src/pool/dispatcher.ts';
import { until } from '../scripted-cluster.ts';

const slots: Record<Priority, number> = { realtime: 4, interactive: 3, file: 2 };

test('the most urgent jobs are fetched first, and slots are kept for them', async () => {
  const { queues, taken, fetcher } = setUp({ file: 4, interactive: 2, realtime: 1 });
  fetcher.lookEverywhere();
  await until(() => taken.length === 4);
  assert.deepEqual(taken, ['realtime', 'interactive', 'interactive', 'file']);
  await fetcher.stop();
  assert.equal(queues.file, 3);
});

test('files never fill the slots of what is more urgent', async () => {
  const { taken, fetcher } = setUp({ file: 4, interactive: 0, realtime: 0 });
  fetcher.lookEverywhere();
  await until(() => taken.length === 2);
  await fetcher.stop();
  assert.deepEqual(taken, ['file', 'file']);
});

test('a queue that was empty is looked at again only when somebody says that there may be work', async () => {
  const { queues, asked, taken, fetcher } = setUp({ file: 0, interactive: 0, realtime: 0 });
  fetcher.lookEverywhere();
  await until(() => asked.length === 3);
  queues.interactive = 1;
  fetcher.proceed();
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(asked.length, 3);
  fetcher.lookAt('interactive');
  await until(() => taken.length === 1);
  await fetcher.stop();
});

test('a free slot is filled again, and nothing is fetched after the stop', async () => {
  const { queues, taken, filled, fetcher } = setUp({ file: 5, interactive: 0, realtime: 0 });
  fetcher.lookEverywhere();
  await until(() => taken.length === 2);
  filled.pop();
  fetcher.proceed();
  await until(() => taken.length === 3);
  await fetcher.stop();
  filled.pop();
  fetcher.proceed();
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([taken.length, queues.file], [3, 2]);
});

/** Queues that are only counted; every job that is taken fills a slot until the test frees it. */
function setUp(queues: Record<Priority, number>) {
  const asked: Priority[] = [];
  const taken: Priority[] = [];
  const filled: Priority[] = [];
  const intake: JobIntake = {
    async take(priority) {
      asked.push(priority);
      if (queues[priority] === 0) return undefined;
      queues[priority] -= 1;
      return { priority } as TakenJob;
    },
    async [Symbol.asyncDispose]() {},
  };
  const fetcher = createJobFetcher({
    intake,
    filledSlots: () => filled,
    slotsFor: (priority) => slots[priority],
    onJob({ priority }) {
      taken.push(priority);
      filled.push(priority);
    },
  });
  return { queues, asked, taken, filled, fetcher };
}
