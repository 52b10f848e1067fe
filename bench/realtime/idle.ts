import { setTimeout as sleep } from 'node:timers/promises';
import { type Explain, type Figure, none } from '../figures/figure.ts';
import { noMoreFiles, noMoreMemory } from '../service/footprint-figures.ts';
import { serve } from '../service/served-process.ts';
import { createServiceFolder } from '../service/service-folder.ts';
import { openStream } from './stream-client.ts';

export type IdleOptions = {
  env: Record<string, string>;
  connections: number;
  minutes: number;
  explain: Explain;
};

const keepAliveMs = 10_000;
/** The first minute, in which buffers and caches find their size, is not growth. */
const settlingMs = 60_000;
const allowedGrowthBytes = 10e6;

/** Connections that send nothing but keepalives: none may be dropped, and nothing may grow. */
export async function measureIdle({ env, connections, minutes, explain }: IdleOptions): Promise<Figure[]> {
  await using folder = await createServiceFolder();
  const [key] = await folder.createKeys(1, 'enterprise');
  await using service = await serve({ dataFolder: folder.path, env });
  const target = { port: service.ports.live, ca: service.ca, key: key!.key };
  const streams = await Promise.all(Array.from({ length: connections }, () => openStream(target)));
  let dropped = 0;
  for (const { closed } of streams) closed.then(() => dropped++);

  const endAt = performance.now() + minutes * 60_000;
  const settledAt = performance.now() + Math.min(settlingMs, minutes * 20_000);
  let before = await service.footprint();
  let isSettled = false;
  while (performance.now() < endAt) {
    for (const { send } of streams) send('{"type":"keepalive"}');
    await sleep(Math.min(keepAliveMs, Math.max(0, endAt - performance.now())));
    if (!isSettled && performance.now() >= settledAt) {
      before = await service.footprint();
      isSettled = true;
    }
  }
  const after = await service.footprint();
  const droppedMeanwhile = dropped;
  const warnings = streams.flatMap(({ events }) =>
    events.filter(({ event }) => event.type !== 'session.begin'),
  );
  for (const { event } of warnings) explain(JSON.stringify(event));
  for (const { send } of streams) send('{"type":"close"}');
  await Promise.all(streams.map(({ closed }) => closed));
  return [
    {
      id: 'idle/dropped',
      what: `${connections} idle connections for ${minutes} min: dropped or warned`,
      ...none(droppedMeanwhile + warnings.length),
    },
    noMoreMemory('idle', 'idle connections', before, after, allowedGrowthBytes),
    noMoreFiles('idle', 'idle connections', before, after),
  ];
}
