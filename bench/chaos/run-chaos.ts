import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../evaluation/random.ts';
import { createRandom } from '../../evaluation/random.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { ClusterNode } from '../cluster/cluster-node.ts';
import { leftBehindAfter, setAside } from '../cluster/left-behind.ts';
import type { Explain } from '../figures/figure.ts';
import { type Client, createClient } from '../service/client.ts';
import { statusOf } from '../service/served-process.ts';
import { type Caller, connectionRefused, createCaller } from './caller.ts';
import { type ChargeCheck, checkCharges } from './charge-check.ts';
import { planMishaps, runMishaps } from './mishaps.ts';
import type { Outcome } from './outcome.ts';
import { createRequestMix, type RequestMix } from './request-mix.ts';

export type ChaosOptions = {
  cluster: Cluster;
  requests: number;
  mishaps: number;
  seed: number;
  atOnce: number;
  /** Without long files it takes a fraction of the time. */
  samples?: 'all' | 'short';
  /** How long what was left behind has to expire. */
  expiryMs: number;
  explain: Explain;
  /** With the number of requests that have ended. */
  onProgress?(ended: number): void;
};

export type ChaosResult = {
  outcomes: Outcome[];
  charges: ChargeCheck;
  leftBehind: string[];
  /** Windows with which two workers died. */
  setAside: number;
  /** Processes that ended by themselves or do not answer any more. */
  down: string[];
  seconds: number;
};

const keyCount = 6;
const readyWithinMs = 15_000;
const afterFailureMs = 300;
const refusalsTaken = 4;
const hungAfterMs = 180_000;

/** Requests of all kinds while everything that they need goes away and comes back. */
export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  const { cluster, requests, seed, explain } = options;
  const random = createRandom(seed);
  // A plan with a quota, since only then is something held that could be left behind.
  const keys = await cluster.folder.createKeys(keyCount, 'professional');
  const clients = new Map<number, Client>();
  for (const { port } of cluster.apis) clients.set(port, createClient({ port, ca: cluster.ca }));
  const callerOf = (by: Random) => {
    const node = by.pick(cluster.apis);
    return createCaller({ key: by.pick(keys), node, ca: cluster.ca, client: clients.get(node.port)! });
  };
  const startedAt = performance.now();
  const mix = await createRequestMix(() => callerOf(random), options.samples);
  const outcomes: Outcome[] = [...mix.calm];
  let begun = 0;
  const call = async () => {
    while (begun < requests) {
      // Each depends on the seed and its number alone.
      const ofRequest = createRandom(seed * 1_000_003 + begun++);
      const outcome = await endOf(mix, () => callerOf(ofRequest), ofRequest);
      outcomes.push(outcome);
      options.onProgress?.(outcomes.length - mix.calm.length);
      // Somebody who was not served waits, or an outage would take all requests in a moment.
      if (outcome.end !== 'right') await sleep(outcome.retryAfterMs ?? afterFailureMs);
    }
  };
  const mishaps = planMishaps({ cluster, random, requests, count: options.mishaps });
  await Promise.all([
    runMishaps({ mishaps, begun: () => begun, explain }),
    ...Array.from({ length: options.atOnce }, call),
  ]);
  explain(`${requests} requests ended after ${Math.round((performance.now() - startedAt) / 1000)} s`);
  const leftBehind = await leftBehindAfter(cluster, keys[0]!.key, options.expiryMs);
  const { length: aside } = await setAside(cluster.redis.url);
  const down = await findDown(cluster);
  // Afterwards everything works as it did before.
  for (const node of cluster.apis) {
    const client = clients.get(node.port)!;
    const caller = createCaller({ key: keys[0]!, node, ca: cluster.ca, client });
    const outcome = await mix.ask(caller);
    outcomes.push(outcome);
    if (outcome.end !== 'right') down.push(`${node.name}: ${outcome.end} ${outcome.detail}`);
  }
  const charges = await checkCharges(cluster.folder, outcomes);
  for (const client of clients.values()) client[Symbol.dispose]();
  return {
    outcomes,
    charges,
    leftBehind,
    setAside: aside,
    down,
    seconds: (performance.now() - startedAt) / 1000,
  };
}

async function endOf(mix: RequestMix, call: () => Caller, random: Random): Promise<Outcome> {
  const { kind, run } = mix.pick(random);
  for (let attempt = 1; ; attempt++) {
    const caller = call();
    const hung = sleep(hungAfterMs, undefined, { ref: false });
    const outcome = await Promise.race([run(caller), hung]);
    // Nothing was sent, so a load balancer takes another node.
    if (outcome?.detail === connectionRefused && attempt < refusalsTaken) continue;
    if (outcome) return outcome;
    const detail = `no end within ${hungAfterMs / 1000} s`;
    return { kind, keyId: caller.key.id, audioMs: Number.POSITIVE_INFINITY, end: 'fault', detail };
  }
}

async function findDown({ apis, workers }: Cluster): Promise<string[]> {
  const down: string[] = [];
  for (const node of [...apis, ...workers]) {
    if (!(await isReadyInTime(node))) down.push(`${node.name} is not ready`);
    for (const pid of node.orphans()) down.push(`${node.name} has left process ${pid} behind`);
  }
  return down;
}

/** Where Redis has lost everything, workers have to say first that they are there. */
async function isReadyInTime({ port, process }: ClusterNode): Promise<boolean> {
  const deadline = performance.now() + readyWithinMs;
  const { ca, isRunning } = process();
  while (isRunning() && performance.now() < deadline) {
    if ((await statusOf('/readyz', port, ca)) === 200) return true;
    await sleep(100);
  }
  return false;
}
