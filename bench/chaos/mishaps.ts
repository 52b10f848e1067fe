import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from '../cluster/cluster.ts';
import type { Random } from '../service/random.ts';

/** Something that goes away without warning or in good order, and comes back some time later. */
export type Mishap = {
  /** How many requests have been begun when it happens. */
  atRequest: number;
  name: string;
  awayMs: number;
  goAway(): Promise<void>;
  comeBack(): Promise<void>;
};

export const mishapKinds = [
  'api killed',
  'worker killed',
  'redis killed',
  'postgres killed',
  'api stopped',
  'worker stopped',
  'redis stopped',
  'postgres stopped',
] as const;

type MishapOptions = { cluster: Cluster; random: Random; requests: number; count: number };

const longestAwayMs = 3_000;

/** Every kind in a random order, and again until there are enough, at random moments. */
export function planMishaps({ cluster, random, requests, count }: MishapOptions): Mishap[] {
  let deck: (typeof mishapKinds)[number][] = [];
  return Array.from({ length: count }, (_, turn) => {
    if (deck.length === 0) deck = shuffled(mishapKinds, random);
    const kind = deck.pop()!;
    const [who, how] = kind.split(' ') as ['api' | 'worker' | 'redis' | 'postgres', 'killed' | 'stopped'];
    const node = who === 'api' || who === 'worker' ? random.pick(cluster[`${who}s`]) : undefined;
    const target = node ?? (who === 'redis' ? cluster.redis : cluster.postgres);
    return {
      atRequest: Math.floor(((turn + random.next()) / count) * requests * 0.95),
      name: `${node?.name ?? who} ${how}`,
      awayMs: random.below(longestAwayMs),
      goAway: () => (how === 'killed' ? target.kill() : target.stop()),
      comeBack: () => target.start(),
    };
  });
}

export type MishapRun = { mishaps: Mishap[]; begun(): number; explain(line: string): void };

/** One after another, so that whatever comes back finds the others there. */
export async function runMishaps({ mishaps, begun, explain }: MishapRun): Promise<void> {
  for (const mishap of mishaps) {
    while (begun() < mishap.atRequest) await sleep(10);
    explain(`request ${begun()}: ${mishap.name} for ${mishap.awayMs} ms`);
    await mishap.goAway();
    await sleep(mishap.awayMs);
    await mishap.comeBack();
  }
}

function shuffled<T>(things: readonly T[], random: Random): T[] {
  const order = things.map((thing) => ({ thing, place: random.next() }));
  return order.sort((one, other) => one.place - other.place).map(({ thing }) => thing);
}
