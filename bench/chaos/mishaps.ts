import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../evaluation/random.ts';
import type { Cluster } from '../cluster/cluster.ts';

/** One thing, or two at once, that goes away without warning or in good order, and comes back some time later. */
export type Mishap = {
  /** How many requests have been begun when it happens. */
  atRequest: number;
  awayMs: number;
  losses: Loss[];
};

type Loss = { name: string; goAway(): Promise<void>; comeBack(): Promise<void> };

/** Servers first, since nothing starts without them. */
const things = ['postgres', 'redis', 'worker', 'api'] as const;
const ways = ['killed', 'stopped'] as const;
type Kind = { thing: (typeof things)[number]; way: (typeof ways)[number] };
const kinds: Kind[] = things.flatMap((thing) => ways.map((way) => ({ thing, way })));

type MishapOptions = { cluster: Cluster; random: Random; requests: number; count: number };

const longestAwayMs = 3_000;
/** Every so many, something else goes away at the same time. */
const twoAtOnceEvery = 4;

/** Every kind in a random order, and again until there are enough, at random moments. */
export function planMishaps({ cluster, random, requests, count }: MishapOptions): Mishap[] {
  let deck: Kind[] = [];
  const draw = () => {
    if (deck.length === 0) deck = shuffled(kinds, random);
    return deck.pop()!;
  };
  return Array.from({ length: count }, (_, index) => {
    const drawn = index % twoAtOnceEvery === twoAtOnceEvery - 1 ? [draw(), draw()] : [draw()];
    const different = drawn.filter(({ thing }, at) => drawn.findIndex((each) => each.thing === thing) === at);
    const inOrder = different.sort((one, other) => things.indexOf(one.thing) - things.indexOf(other.thing));
    return {
      atRequest: Math.floor(((index + random.next()) / count) * requests * 0.95),
      awayMs: random.below(longestAwayMs),
      losses: inOrder.map((kind) => lossOf(kind, cluster, random)),
    };
  });
}

function lossOf({ thing, way }: Kind, cluster: Cluster, random: Random): Loss {
  const node = thing === 'api' || thing === 'worker' ? random.pick(cluster[`${thing}s`]) : undefined;
  const target = node ?? (thing === 'redis' ? cluster.redis : cluster.postgres);
  return {
    name: `${node?.name ?? thing} ${way}`,
    goAway: () => (way === 'killed' ? target.kill() : target.stop()),
    comeBack: () => target.start(),
  };
}

export type MishapRun = { mishaps: Mishap[]; begun(): number; explain(line: string): void };

/** One after another, so that whatever comes back finds the others there. */
export async function runMishaps({ mishaps, begun, explain }: MishapRun): Promise<void> {
  for (const { atRequest, awayMs, losses } of mishaps) {
    while (begun() < atRequest) await sleep(10);
    explain(`request ${begun()}: ${losses.map(({ name }) => name).join(' and ')} for ${awayMs} ms`);
    await Promise.all(losses.map((loss) => loss.goAway()));
    await sleep(awayMs);
    for (const loss of losses) await loss.comeBack();
  }
}

function shuffled<T>(cards: readonly T[], random: Random): T[] {
  const order = cards.map((card) => ({ card, key: random.next() }));
  return order.sort((one, other) => one.key - other.key).map(({ card }) => card);
}
