import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom } from '../../evaluation/random.ts';
import { toLinear16 } from '../../src/audio/samples/linear16.ts';
import { type Explain, type Figure, none } from '../figures/figure.ts';
import { createRepeatedSpeech } from '../service/clips.ts';
import { noMoreFiles, noMoreMemory } from '../service/footprint-figures.ts';
import { serve } from '../service/served-process.ts';
import { createServiceFolder } from '../service/service-folder.ts';
import { hardClients } from './hard-clients.ts';
import { leasesClosed, openLeases } from './open-leases.ts';
import { runRandomStream } from './random-stream.ts';
import { compareCharges } from './stream-charges.ts';
import type { StreamTarget } from './stream-client.ts';
import type { StreamFate } from './stream-fate.ts';

export type ChaosOptions = { env: Record<string, string>; sequences: number; seed: number; explain: Explain };

const atOnce = 8;
const speechSeconds = 4;
/** What is not collected yet need not be a leak. */
const allowedGrowthBytes = 60e6;

/** Clients at their worst: every stream ends, with a clear error or rightly, and leaves nothing behind. */
export async function measureChaos({ env, sequences, seed, explain }: ChaosOptions): Promise<Figure[]> {
  await using folder = await createServiceFolder();
  // A plan with a quota, since only then is something held that could be left behind.
  const [key] = await folder.createKeys(1, 'professional');
  await using service = await serve({
    dataFolder: folder.path,
    env: { ...env, SIANN_STREAM_IDLE_SECONDS: '5' },
  });
  const target = { port: service.ports.live, ca: service.ca, key: key!.key };
  const speech = toLinear16(await createRepeatedSpeech(speechSeconds));
  const fates: StreamFate[] = [];
  const hard = hardClients(target, speech);
  for (const run of Object.values(hard)) fates.push(await run());
  await runSequences(Math.min(100, sequences), seed + 1_000_000);
  await streamsEnded(target);
  const before = await service.footprint();
  await runSequences(sequences, seed);
  await streamsEnded(target);
  const after = await service.footprint();
  const faults = fates.filter(({ fault }) => fault !== undefined);
  for (const { name, fault } of faults) explain(`${name}: ${fault}`);
  explain(countBy(fates.map(({ code }) => String(code))));
  const differences = await compareCharges(folder.withDatabase, fates);
  for (const difference of differences) explain(difference);
  const failures = service.log().filter(({ level }) => Number(level) >= 50);
  for (const failure of failures.slice(0, 5)) explain(JSON.stringify(failure));
  const during = 'streams of hard clients';
  return [
    {
      id: 'chaos/faults',
      what: `${during}: not ended rightly or with a clear error`,
      ...none(faults.length),
      note: `of ${fates.length}`,
    },
    {
      id: 'chaos/ledger',
      what: `${during}: differences between ledger and streams`,
      ...none(differences.length),
    },
    {
      id: 'chaos/failures',
      what: `${during}: failures in the log`,
      ...none(failures.length),
      minor: true,
    },
    {
      id: 'chaos/leases',
      what: `${during}: leases left open`,
      ...none(await openLeases(target)),
      minor: true,
    },
    noMoreFiles('chaos', during, before, after),
    noMoreMemory('chaos', during, before, after, allowedGrowthBytes),
  ];

  async function runSequences(count: number, firstSeed: number): Promise<void> {
    let next = 0;
    const run = async () => {
      while (next < count) {
        const random = createRandom(firstSeed + next++);
        fates.push(await runRandomStream(target, random, speech));
      }
    };
    await Promise.all(Array.from({ length: atOnce }, run));
  }
}

/** The last of them are settled a moment after their clients have gone. */
async function streamsEnded(target: StreamTarget): Promise<void> {
  await leasesClosed(target);
  await sleep(500);
}

function countBy(names: string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => `${count} × ${name}`).join(', ');
}
