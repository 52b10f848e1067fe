import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { joinAsNode } from '../../src/cluster/node/join-as-node.ts';
import { windowCodec } from '../../src/cluster/queue/window-codec.ts';
import { mapInOrder } from '../../src/speech/recognition/map-in-order.ts';
import type { WindowJob } from '../../src/speech/windows/window-messages.ts';
import { atLeast, type Explain, type Figure } from '../figures/figure.ts';
import { startRedis } from '../servers/redis.ts';
import { serverOr } from './cluster.ts';
import { workersOf } from './scale.ts';
import { standInWindow } from './stand-in-job.ts';
import { createStandInWorkers } from './stand-in-workers.ts';

export type SchedulerOptions = {
  levels: number[];
  costMs: number;
  /** Windows for each worker. */
  rounds: number;
  explain: Explain;
};

const windowSeconds = 30;
/** How long it may take until all workers are known. */
const knownWithinMs = 15_000;
const quiet = { info() {}, warn() {}, error() {} };

/** One recording's windows on ever more workers that take a fixed time for each: what the queue itself costs. */
export async function measureScheduler(options: SchedulerOptions): Promise<Figure[]> {
  const { levels, costMs, rounds, explain } = options;
  await using redis = serverOr(await startRedis());
  const group = 'stand-in';
  await using workers = createStandInWorkers({ url: redis.url, group, costMs, processes: 0 });
  await workers.growTo(1);
  await using node = await joinAsNode({ url: redis.url, group, codec: windowCodec, log: quiet });
  const window = standInWindow(windowSeconds);
  const figures: Figure[] = [];
  for (const count of levels) {
    await workers.growTo(count);
    await untilKnown(count);
    const windows = count * rounds;
    const startedAt = performance.now();
    const requestId = randomUUID();
    const results = mapInOrder(repeated(window, windows), node.windowsAtOnce, (job, signal) =>
      node.dispatcher.run(job, { requestId, priority: 'file', signal }),
    );
    let done = 0;
    for await (const _ of results) done++;
    const seconds = (performance.now() - startedAt) / 1000;
    const share = (windows * costMs) / 1000 / (count * seconds);
    explain(`scheduler: ${count} workers, ${done} windows in ${seconds.toFixed(2)} s`);
    figures.push({
      id: `scheduler/${count}`,
      what: `share of linear, windows of ${windowSeconds} s that take ${costMs / 1000} s each`,
      ...atLeast(90, share * 100, 1),
      unit: '%',
      series: workersOf(count),
      at: count,
    });
  }
  return figures;

  async function untilKnown(count: number): Promise<void> {
    const deadline = performance.now() + knownWithinMs;
    while (node.load().processes < count) {
      if (performance.now() > deadline) throw new Error(`Only ${node.load().processes} workers are known.`);
      await sleep(100);
    }
  }
}

async function* repeated(window: WindowJob, count: number): AsyncGenerator<WindowJob> {
  for (let index = 0; index < count; index++) yield window;
}
