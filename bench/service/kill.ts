import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom } from '../../evaluation/random.ts';
import { pcmSampleRate } from '../../src/audio/pcm.ts';
import { type Explain, type Figure, none } from '../figures/figure.ts';
import { type Answer, type Client, createClient } from './client.ts';
import { createClips, toWave } from './clips.ts';
import { compareLedger } from './ledger-check.ts';
import { serve } from './served-process.ts';
import { createServiceFolder } from './service-folder.ts';

export type KillOptions = {
  env: Record<string, string>;
  requests: number;
  kills: number;
  seed: number;
  /** Speech by default; silence takes the service a fraction of the time. */
  clips?: 'speech' | 'silence';
  explain: Explain;
};

export type KillOutcome = { answered: number; lost: number; differences: string[]; orphans: number };

const clipSeconds = { speech: 2, silence: 20 };
const momentMs = 100;
const atOnce = 8;
const keyCount = 4;

/** Ends the service without warning while it works, again and again, and looks at who was charged in the end. */
export async function killDuringLoad(options: KillOptions): Promise<KillOutcome> {
  const { env, requests, kills, explain } = options;
  const random = createRandom(options.seed);
  const waves =
    options.clips === 'silence'
      ? [await toWave(new Float32Array(clipSeconds.silence * pcmSampleRate))]
      : (await createClips(clipSeconds.speech)).map(({ wave }) => wave);
  await using folder = await createServiceFolder();
  // A plan with a quota, since only then is something held that a crash could leave behind.
  const keys = await folder.createKeys(keyCount, 'professional');
  let service = await serve({ dataFolder: folder.path, env });
  const { ports, ca } = service;
  const answers: Answer[] = [];
  const seenProcesses: number[] = [];
  let lost = 0;
  let left = requests;
  let restarted: Promise<void> | undefined;

  const caller = async (client: Client) => {
    while (left > 0) {
      left--;
      try {
        answers.push(await client.transcribe(random.pick(waves), random.pick(keys).key));
      } catch {
        lost++;
        await restarted;
      }
    }
  };
  const restartAgainAndAgain = async () => {
    for (let kill = 0; kill < kills; kill++) {
      const moment = Math.floor(((kill + random.next()) / kills) * requests * 0.95);
      while (requests - left < moment) await sleep(5);
      await sleep(random.below(momentMs));
      seenProcesses.push(...(await service.footprint()).children);
      restarted = restart();
      await restarted;
      explain(`kill ${kill + 1}: ${answers.length} answered, ${lost} lost so far`);
    }
  };

  using client = createClient({ port: ports.live, ca });
  await Promise.all([restartAgainAndAgain(), ...Array.from({ length: atOnce }, () => caller(client))]);
  await restart();
  const differences = await compareLedger(folder, answers);
  await service.stop();
  const unexpected = answers.filter(({ status }) => status !== 200);
  for (const { status, body } of unexpected) explain(`answered ${status}: ${body}`);
  return {
    answered: answers.length - unexpected.length,
    lost,
    differences,
    orphans: seenProcesses.filter(isAlive).length,
  };

  async function restart(): Promise<void> {
    await service.kill();
    service = await serve({ dataFolder: folder.path, env, ports });
  }
}

export async function measureKills(options: KillOptions): Promise<Figure[]> {
  const { answered, lost, differences, orphans } = await killDuringLoad(options);
  for (const difference of differences) options.explain(difference);
  const during = `${options.kills} × kill -9 during ${options.requests} requests`;
  return [
    {
      id: 'kill/ledger',
      what: `${during}: answered and not charged once, or charged and not answered`,
      ...none(differences.length),
      note: `${answered} answered, ${lost} cut off`,
    },
    {
      id: 'kill/orphans',
      what: `${during}: inference processes left behind`,
      ...none(orphans),
      minor: true,
    },
  ];
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
