import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../evaluation/random.ts';
import type { ComposeProject, Container } from './compose-project.ts';

/** A first process of a container, or one of those that it starts: they recognise in a worker and decode in an API node. */
export type Crash = { container: Container; child: boolean };

/** When something ended, by the clock of `performance.now()`, and when it could work again. */
export type CrashRecord = Crash & { atMs: number; backAtMs: number };

const shortestPauseMs = 100;
const longestPauseMs = 2_000;
/** How often something is killed although its twin is away, or it is just coming back itself. */
const regardless = 0.1;
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

export type Crashes = {
  records: CrashRecord[];
  /** False when there is no such process. */
  happen(crash: Crash, random: Random): Promise<boolean>;
  /** One of those that can be missed for a moment, or now and then any. */
  draw(random: Random): Crash | undefined;
  /** Everything that ended works again. */
  allBack(): Promise<void>;
};

/** Makes crashes happen, and records what comes of them. */
export function createCrashes(project: ComposeProject): Crashes {
  const { containers } = project;
  const records: CrashRecord[] = [];
  const returning = new Map<string, Promise<void>>();
  const isReady = ({ name }: Container) => !returning.has(name);

  /** As a rule one of each service stays, and the next waits for it: were something away all the time, nothing would be seen. */
  const mayBeMissed = ({ container, child }: Crash) => {
    const ready = containers.filter(isReady);
    const left = child ? ready : ready.filter((each) => each !== container);
    const isServed = (service: string) => left.some((each) => each.service === service);
    const servers = ['redis', 'postgres'].filter((service) => service !== container.service || child);
    return ready.includes(container) && ['api', 'worker', ...servers].every(isServed);
  };

  return {
    records,
    draw(random) {
      const crash = randomCrash(project, random);
      return mayBeMissed(crash) || random.next() < regardless ? crash : undefined;
    },
    async happen(crash, random) {
      const { container, child } = crash;
      const { name } = container;
      const record = { ...crash, atMs: performance.now(), backAtMs: Number.POSITIVE_INFINITY };
      const happened = child
        ? await project.crashChild(container, (pids) => random.pick(pids))
        : await project.crash(container);
      if (!happened) return false;
      records.push(record);
      if (child) {
        record.backAtMs = performance.now();
        return true;
      }
      const back = project.ready(container).then(() => {
        record.backAtMs = performance.now();
        if (returning.get(name) === back) returning.delete(name);
      });
      back.catch(() => {});
      returning.set(name, back);
      return true;
    },
    async allBack() {
      while (returning.size > 0) await Promise.all(returning.values());
    },
  };
}

function randomCrash({ containers }: ComposeProject, random: Random): Crash {
  const hundred = Object.entries(shares).flatMap(([kind, share]) => Array<string>(share).fill(kind));
  const kind = random.pick(hundred);
  const child = kind === 'child';
  const service = child ? random.pick(['worker', 'api']) : kind;
  return { container: random.pick(containers.filter((each) => each.service === service)), child };
}

export function pauseBetween(random: Random): Promise<void> {
  return sleep(shortestPauseMs + random.below(longestPauseMs - shortestPauseMs));
}
