import { randomUUID } from 'node:crypto';
import { joinAsNode } from '../../src/cluster/node/join-as-node.ts';
import { windowCodec } from '../../src/cluster/queue/window-codec.ts';
import type { Dispatcher } from '../../src/pool/dispatcher.ts';
import { createLocalDispatcher } from '../../src/pool/local-dispatcher.ts';
import type { WindowJob, WindowResult } from '../../src/speech/windows/window-messages.ts';
import { atMost, type Explain, type Figure, rounded } from '../figures/figure.ts';
import { quantile } from '../realtime/caption-figures.ts';
import { startRedis } from '../servers/redis.ts';
import { serverOr } from './cluster.ts';
import { type StandInSettings, standInWindow } from './stand-in-job.ts';
import { createStandInWorkers } from './stand-in-workers.ts';

const windowSeconds = 30;
const warmUpRounds = 5;
const barMs = 30;
const quiet = { info() {}, warn() {}, error() {} };

/** One window at a time through a process of this machine and through Redis to a worker with one, alternately. */
export async function measureWindowCost(rounds: number, explain: Explain): Promise<Figure[]> {
  await using redis = serverOr(await startRedis());
  const group = 'stand-in';
  const costMs = 0;
  await using workers = createStandInWorkers({ url: redis.url, group, costMs, processes: 1 });
  await workers.growTo(1);
  await using node = await joinAsNode({ url: redis.url, group, codec: windowCodec, log: quiet });
  await using local = createLocalDispatcher<StandInSettings, WindowJob, WindowResult>({
    moduleUrl: new URL('./stand-in-job.ts', import.meta.url),
    settings: { costMs },
    processes: 1,
    slots: 1,
  });
  await Promise.all([node.ready(), local.ready()]);
  const window = standInWindow(windowSeconds);
  const times = { local: [] as number[], cluster: [] as number[], added: [] as number[] };
  for (let round = -warmUpRounds; round < rounds; round++) {
    const here = await timeOf(local, window);
    const there = await timeOf(node.dispatcher, window);
    if (round < 0) continue;
    times.local.push(here);
    times.cluster.push(there);
    times.added.push(there - here);
  }
  const [middle, most] = [quantile(times.added, 0.5), quantile(times.added, 0.95)];
  for (const way of ['local', 'cluster'] as const)
    explain(`${way}: ${describe(quantile(times[way], 0.5), quantile(times[way], 0.95))}`);
  return [
    {
      id: 'window/p50',
      what: `time that Redis adds to a window of ${windowSeconds} s: p50`,
      value: rounded(middle, 1),
      unit: 'ms',
    },
    {
      id: 'window/p95',
      what: `time that Redis adds to a window of ${windowSeconds} s: p95`,
      ...atMost(barMs, most, 1),
      unit: 'ms',
    },
  ];
}

async function timeOf(dispatcher: Dispatcher<WindowJob, WindowResult>, window: WindowJob): Promise<number> {
  const startedAt = performance.now();
  await dispatcher.run(window, { requestId: randomUUID(), priority: 'interactive' });
  return performance.now() - startedAt;
}

function describe(middle: number, most: number): string {
  return `${middle.toFixed(1)}, ${most.toFixed(1)} ms`;
}
