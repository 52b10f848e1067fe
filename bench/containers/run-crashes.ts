import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom, type Random } from '../../evaluation/random.ts';
import type { Caller } from '../chaos/caller.ts';
import { type ChargeCheck, checkCharges } from '../chaos/charge-check.ts';
import type { Outcome } from '../chaos/outcome.ts';
import { createRequestMix } from '../chaos/request-mix.ts';
import { setAside } from '../cluster/left-behind.ts';
import type { Explain } from '../figures/figure.ts';
import { createClient } from '../service/client.ts';
import { createBalancedCaller } from './balanced-caller.ts';
import type { ComposeProject } from './compose-project.ts';
import { type CrashRecord, createCrashes, oneOfEach, pauseBetween } from './crashes.ts';
import { becomeCustomer } from './customer.ts';

export type CrashRunOptions = {
  project: ComposeProject;
  /** Each container once, one after another; or that many, at random. */
  kills: 'each' | number;
  /** Ends earlier, with fewer. */
  withinMinutes?: number;
  seed: number;
  atOnce: number;
  explain: Explain;
  onProgress?(kills: number, requests: number): void;
};

export type CrashRunResult = {
  outcomes: Outcome[];
  crashes: CrashRecord[];
  charges: ChargeCheck;
  /** Reservations that nobody gave back. */
  leftBehind: string[];
  setAside: number;
  seconds: number;
};

const keyCount = 6;
const hungAfterMs = 180_000;
const afterFailureMs = 300;
const reservationsExpireMs = 150_000;

/** Requests of all kinds, through the balancer, while containers and the processes in them are killed. */
export async function runCrashes(options: CrashRunOptions): Promise<CrashRunResult> {
  const { project, kills, seed, explain } = options;
  const { port, ca } = project;
  const startedAt = performance.now();
  for (const container of project.containers) await project.ready(container);
  const keys = await becomeCustomer(project, keyCount);
  explain('a project and its keys were made in the console');
  const crashes = createCrashes(project);
  using client = createClient({ port, ca });
  const callerOf = (by: Random) =>
    createBalancedCaller({ key: by.pick(keys), port, ca, client, crashes: crashes.records });
  const random = createRandom(seed);
  const mix = await createRequestMix(() => callerOf(random), 'short');
  explain(`files and a stream were transcribed in calm: ${mix.calm.length}`);

  const outcomes: Outcome[] = [...mix.calm];
  let isOver = false;
  let begun = 0;
  const call = async () => {
    while (!isOver) {
      const ofRequest = createRandom(seed * 1_000_003 + begun++);
      const { kind, run } = mix.pick(ofRequest);
      const outcome = await endOf(kind, callerOf(ofRequest), run);
      outcomes.push(outcome);
      options.onProgress?.(crashes.records.length, outcomes.length);
      if (outcome.end !== 'right') await sleep(outcome.retryAfterMs ?? afterFailureMs);
    }
  };
  const killAll = async () => {
    if (kills === 'each') {
      for (const crash of oneOfEach(project)) {
        await sleep(1_000);
        const happened = await crashes.happen(crash, random);
        explain(
          `${crash.container.name}${crash.child ? ', a process in it' : ''}${happened ? '' : ': there is none'}`,
        );
        await crashes.allBack();
      }
    } else {
      const deadline = performance.now() + (options.withinMinutes ?? Number.POSITIVE_INFINITY) * 60_000;
      while (crashes.records.length < kills && performance.now() < deadline) {
        await pauseBetween(random);
        const crash = crashes.draw(random);
        if (crash) await crashes.happen(crash, random);
      }
    }
    await crashes.allBack();
    isOver = true;
  };
  await Promise.all([killAll(), ...Array.from({ length: options.atOnce }, call)]);

  explain('all were killed; looking at what is left');
  // Afterwards everything works as it did before.
  for (let number = 0; number < 4; number++) outcomes.push(await mix.ask(callerOf(random)));
  const leftBehind = await withoutReservations(project);
  const { length: aside } = await setAside(await project.redisUrl());
  const charges = await checkCharges(project, outcomes);
  const seconds = (performance.now() - startedAt) / 1000;
  return { outcomes, crashes: crashes.records, charges, leftBehind, setAside: aside, seconds };
}

async function endOf(
  kind: string,
  caller: Caller,
  run: (caller: Caller) => Promise<Outcome>,
): Promise<Outcome> {
  const hung = sleep(hungAfterMs, undefined, { ref: false });
  const outcome = await Promise.race([run(caller), hung]);
  if (outcome) return outcome;
  const detail = `no end within ${hungAfterMs / 1000} s`;
  return { kind, keyId: caller.key.id, audioMs: Number.POSITIVE_INFINITY, end: 'fault', detail };
}

/** What is still reserved once everything has had the time to expire. */
async function withoutReservations(project: ComposeProject): Promise<string[]> {
  const deadline = performance.now() + reservationsExpireMs;
  for (;;) {
    const held = await project.withDatabase(({ queries }) =>
      queries.selectFrom('reservations').select(['request_id', 'instance']).execute(),
    );
    if (held.length === 0 || performance.now() > deadline)
      return held.map(({ request_id, instance }) => `reservation ${request_id} of ${instance}`);
    await sleep(1_000);
  }
}
