import { setTimeout as delay } from 'node:timers/promises';
import { type Priority, priorities } from '../../pool/dispatcher.ts';
import type { JobIntake, TakenJob } from '../queue/job-intake.ts';

/** Fetches jobs while slots are free, the most urgent first. */
export type JobFetcher = {
  /** There may be work of that priority. */
  lookAt(priority: Priority): void;
  lookEverywhere(): void;
  /** A slot may be free again. */
  proceed(): void;
  /** Fetches nothing more; resolves when the last job that was being fetched has been handed over. */
  stop(): Promise<void>;
};

type Options = {
  intake: JobIntake;
  /** The priorities of the jobs that fill slots now. */
  filledSlots(): Priority[];
  /** How many jobs of a priority and below it there may be at once, by now. */
  slotsFor(priority: Priority): number;
  onJob(job: TakenJob): void;
};

/** The busier a worker is, the longer it leaves new work to others: so work spreads over machines before it fills one. */
const hesitationMs = 10;

export function createJobFetcher({ intake, filledSlots, slotsFor, onJob }: Options): JobFetcher {
  /** Where there may be work. */
  const worthALook = new Set<Priority>(priorities);
  let fetching: Promise<void> | undefined;
  let stopped = false;

  const proceed = () => {
    if (stopped || fetching || nextPriority() === undefined) return;
    fetching = fetchWhileFree()
      // Redis is away, or lost something: the next look finds what there is.
      .catch(() => {})
      .finally(() => {
        fetching = undefined;
        proceed();
      });
  };

  const fetchWhileFree = async () => {
    while (!stopped && nextPriority()) {
      const hesitation = (hesitationMs * filledSlots().length) / slotsFor('realtime');
      if (hesitation >= 1) await delay(hesitation);
      const priority = nextPriority();
      if (!priority || stopped) return;
      worthALook.delete(priority);
      const job = await intake.take(priority);
      if (!job) continue;
      worthALook.add(priority);
      onJob(job);
    }
  };

  const nextPriority = () => priorities.find((priority) => worthALook.has(priority) && hasFreeSlot(priority));

  /** The same rule as in the local dispatcher: slots are kept for what is more urgent. */
  const hasFreeSlot = (priority: Priority) => {
    const filled = filledSlots();
    const rank = priorities.indexOf(priority);
    const notAbove = filled.filter((other) => priorities.indexOf(other) >= rank);
    return filled.length < slotsFor('realtime') && notAbove.length < slotsFor(priority);
  };

  return {
    lookAt(priority) {
      worthALook.add(priority);
      proceed();
    },
    lookEverywhere() {
      for (const priority of priorities) worthALook.add(priority);
      proceed();
    },
    proceed,
    async stop() {
      stopped = true;
      await fetching;
    },
  };
}
