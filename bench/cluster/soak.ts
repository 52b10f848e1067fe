import { setTimeout as sleep } from 'node:timers/promises';
import { endProgress, showProgress } from '../../evaluation/progress.ts';
import { createRandom } from '../../evaluation/random.ts';
import { createCaller } from '../chaos/caller.ts';
import { createRequestMix } from '../chaos/request-mix.ts';
import { atMost, type Explain, type Figure, none } from '../figures/figure.ts';
import { median } from '../median.ts';
import { quantile } from '../realtime/caption-figures.ts';
import { createClient } from '../service/client.ts';
import { type Cluster, startCluster } from './cluster.ts';

export type SoakOptions = { env: Record<string, string>; minutes: number; atOnce: number; explain: Explain };

type Footing = { residentBytes: number; openFiles: number };

const sampleEveryMs = 2_000;
/** Of the time, before anything counts: caches fill, and V8 finds its size. */
const warmUpShare = 0.2;
/** What V8 lets lie before it collects it, for each process. */
const uncollectedBytes = 64e6;

/** Full load of every kind for a while: what the end looks like beside the start. */
export async function measureSoak({ env, minutes, atOnce, explain }: SoakOptions): Promise<Figure[]> {
  await using cluster = await startCluster({ apis: 2, workers: 2, env });
  const keys = await cluster.folder.createKeys(atOnce, 'enterprise');
  const clients = cluster.apis.map(({ port }) => createClient({ port, ca: cluster.ca }));
  const callerOf = (request: number) => {
    const at = request % clients.length;
    const [node, client] = [cluster.apis[at]!, clients[at]!];
    return createCaller({ key: keys[request % atOnce]!, node, ca: cluster.ca, client });
  };
  const mix = await createRequestMix(() => callerOf(0));
  const startedAt = performance.now();
  const lengthMs = minutes * 60_000;
  const elapsed = () => performance.now() - startedAt;
  const footings: { atMs: number; nodes: Footing[] }[] = [];
  const latencies: { atMs: number; tookMs: number }[] = [];
  let [requests, faults] = [0, 0];
  const call = async (caller: number) => {
    const random = createRandom(caller);
    for (let request = caller; elapsed() < lengthMs; request++) {
      const { kind, run } = mix.pick(random);
      const atMs = elapsed();
      const { end, detail } = await run(callerOf(request));
      requests++;
      if (kind === 'file' && end === 'right') latencies.push({ atMs, tookMs: elapsed() - atMs });
      if (end !== 'fault' && end !== 'broken') continue;
      faults++;
      explain(`${kind}: ${end} ${detail}`);
    }
  };
  const sample = async () => {
    for (; elapsed() < lengthMs; await sleep(sampleEveryMs)) {
      footings.push({ atMs: elapsed(), nodes: await footingsOf(cluster) });
      showProgress(`${(elapsed() / 60_000).toFixed(1)} of ${minutes} minutes, ${requests} requests`);
    }
    endProgress();
  };
  await Promise.all([sample(), ...Array.from({ length: atOnce }, (_, caller) => call(caller))]);
  for (const client of clients) client[Symbol.dispose]();

  const isEarly = ({ atMs }: { atMs: number }) =>
    atMs >= lengthMs * warmUpShare && atMs < lengthMs * (warmUpShare + 0.25);
  const isLate = ({ atMs }: { atMs: number }) => atMs >= lengthMs * 0.75;
  const names = [...cluster.apis, ...cluster.workers].map(({ name }) => name);
  const compared = (measure: (footing: Footing) => number, node: number) => {
    const middle = (which: typeof footings) => median(which.map(({ nodes }) => measure(nodes[node]!))) ?? 0;
    return [middle(footings.filter(isEarly)), middle(footings.filter(isLate))] as const;
  };
  const memory = names.map((_, node) => compared(({ residentBytes }) => residentBytes, node));
  const files = names.map((_, node) => compared(({ openFiles }) => openFiles, node));
  const times = [latencies.filter(isEarly), latencies.filter(isLate)].map((part) =>
    part.map(({ tookMs }) => tookMs),
  );
  const [early, late] = times.map((part) => quantile(part, 0.5)) as [number, number];
  explain(`p95 ${times.map((part) => Math.round(quantile(part, 0.95))).join(', then ')} ms`);
  const what = `${minutes} min of full load`;
  const grown = memory.map(([from, to]) => megabytes(to - from));
  const opened = files.map(([from, to]) => to - from);
  return [
    {
      id: 'soak/faults',
      what: `${what}: requests not answered rightly`,
      ...none(faults),
      note: `of ${requests}`,
    },
    {
      id: 'soak/memory',
      what: `${what}: memory that a process gained from early to late, at most`,
      value: Math.max(...grown),
      unit: 'MB',
      bar: `≤ a tenth + ${megabytes(uncollectedBytes)}`,
      met: memory.every(([from, to]) => to <= from * 1.1 + uncollectedBytes),
      note: memory
        .map(([from, to], node) => `${names[node]} ${megabytes(from)} → ${megabytes(to)}`)
        .join(', '),
    },
    {
      id: 'soak/files',
      what: `${what}: open files that a process gained, at most`,
      ...atMost(atOnce, Math.max(...opened)),
      minor: true,
    },
    {
      id: 'soak/short-file',
      what: `${what}: a short file, p50, late / early`,
      ...atMost(1.25, late / early, 2),
      note: `${Math.round(early)} → ${Math.round(late)} ms`,
    },
  ];
}

async function footingsOf({ apis, workers }: Cluster): Promise<Footing[]> {
  return Promise.all(
    [...apis, ...workers].map(async (node) => {
      const { residentBytes, childBytes, openFiles } = await node.process().footprint();
      return { residentBytes: residentBytes + childBytes, openFiles };
    }),
  );
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1e6);
}
