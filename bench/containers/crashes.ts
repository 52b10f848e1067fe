import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../evaluation/random.ts';
import type { ComposeProject, Container } from './compose-project.ts';

/** A first process of a container, or one of those that it starts: they recognise in a worker and decode in an API node. */
export type Crash = { container: Container; child: boolean };

/** When something ended, by the clock of `performance.now()`, and when it could work again. */
export type CrashRecord = Crash & { atMs: number; backAtMs: number };

const shortestPauseMs = 500;
const longestPauseMs = 4_000;
/** In a hundred: containers that are there twice, one of two servers, and processes inside. */
const shares = { api: 25, worker: 25, redis: 15, postgres: 15, child: 20 };

/** Every container once, and a process inside of each kind. */
export function oneOfEach({ containers }: ComposeProject): Crash[] {
  const whole = containers.map((container) => ({ container, child: false }));
  const inside = (['worker', 'api'] as const).flatMap((service) => {
    const container = containers.find((each) => each.service === service);
    return container ? [{ container, child: true }] : [];
  });
  return [...whole, ...inside];
}

export function randomCrash({ containers }: ComposeProject, random: Random): Crash {
  const hundred = Object.entries(shares).flatMap(([kind, share]) => Array<string>(share).fill(kind));
  const kind = random.pick(hundred);
  const child = kind === 'child';
  const service = child ? random.pick(['worker', 'api']) : kind;
  return { container: random.pick(containers.filter((each) => each.service === service)), child };
}

export type Crashes = {
  records: CrashRecord[];
  /** False when there was no such process. */
  happen(crash: Crash, random: Random): Promise<boolean>;
  /** Everything that ended works again. */
  allBack(): Promise<void>;
};

/** Makes crashes happen, and watches what comes of them. */
export function createCrashes(project: ComposeProject): Crashes {
  const records: CrashRecord[] = [];
  const returning = new Map<string, Promise<void>>();
  return {
    records,
    async happen(crash, random) {
      const { container, child } = crash;
      const record = { ...crash, atMs: performance.now(), backAtMs: Number.POSITIVE_INFINITY };
      if (child && !(await project.crashChild(container, (pids) => random.pick(pids)))) return false;
      records.push(record);
      if (!child) await project.crash(container);
      // Docker's view of its health is that of the life before, for a moment.
      const back = sleep(child ? 0 : 1_000)
        .then(() => project.ready(container))
        .then(() => {
          record.backAtMs = performance.now();
        });
      back.catch(() => {});
      returning.set(container.name, back);
      return true;
    },
    async allBack() {
      await Promise.all(returning.values());
    },
  };
}

export function pauseBetween(random: Random): Promise<void> {
  return sleep(shortestPauseMs + random.below(longestPauseMs - shortestPauseMs));
}
