import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { hasCode } from '../errors/service-error.ts';
import { type Dispatcher, type Priority, priorities } from '../pool/dispatcher.ts';
import { settledWithin } from '../pool/settled-within.ts';
import { clusterKeys } from './cluster-keys.ts';
import { packErrorAnswer, packResultAnswer } from './queue/job-answer.ts';
import type { WorkerCodec } from './queue/job-codec.ts';
import { createJobIntake, type TakenJob } from './queue/job-intake.ts';
import { createJobReceiver } from './queue/job-receiver.ts';
import { createSpeedMeter } from './speed-meter.ts';
import { subscribe } from './subscription.ts';
import { unavailable } from './unavailable.ts';

export type ClusterWorkerOptions<Job, Result> = {
  redis: Redis;
  /** Whose jobs it takes: see `clusterGroup`. */
  group: string;
  codec: WorkerCodec<Job, Result>;
  /** What does the work. It is not disposed of. */
  dispatcher: Dispatcher<Job, Result>;
  /** How many jobs of a priority and below it there may be at once, by now. */
  slotsFor(priority: Priority): number;
  /** How long a worker may give no sign of life before its jobs go to others. */
  lockMs?: number;
  /** How often it looks for work although nobody said that there is any. */
  lookEveryMs?: number;
  /** How long running jobs may go on after shutdown begins; then others get them. */
  drainMs?: number;
  log?: { warn(fields: object, message: string): void };
};

export type ClusterWorker = AsyncDisposable & {
  /** Jobs under way. */
  busy(): number;
  /** Seconds of audio done in a second of work, lately. */
  speed(): number;
};

/** A job that was taken; it fills a slot until it is worked out, and is held until it is answered. */
type Held = TakenJob & { abort: AbortController; fillsSlot: boolean; done: Promise<void> };

/** The busier, the longer it leaves new work to others: so it spreads over machines before it fills one. */
const hesitationMs = 10;

/** What its caller is told: machines that fail are the likelier reason than the recording, so that it may be sent again. */
const givenUp =
  'A part of the recording was given up after two tries, in each of which a worker ended. Try again.';
/** Why a job was set aside, as operators find it in its record. */
export const diedTwice = 'two workers died with it';

const notWanted = Symbol('not wanted');
const handBack = Symbol('hand back');

/** Takes jobs of its group from Redis and does them here, the most urgent first and never more than it has slots for. */
export async function createClusterWorker<Job, Result>(
  options: ClusterWorkerOptions<Job, Result>,
): Promise<ClusterWorker> {
  const { redis, codec, dispatcher, slotsFor, log } = options;
  const keys = clusterKeys(options.group);
  const held = new Map<string, Held>();
  /** Where there may be work. */
  const worthALook = new Set<Priority>(priorities);
  const speed = createSpeedMeter();
  let fetching: Promise<void> | undefined;
  let stopped: Promise<void> | undefined;

  const receiver = createJobReceiver(redis, keys, lookEverywhere);
  const intake = await createJobIntake({
    redis,
    keys,
    lockMs: options.lockMs ?? 10_000,
    onStalled: lookAt,
  });
  const channels = await subscribe(redis, {
    [keys.work]: (priority) => lookAt(priority as Priority),
    [keys.cancelled]: (id) => held.get(id)?.abort.abort(notWanted),
  });
  const timer = setInterval(lookEverywhere, options.lookEveryMs ?? 1_000).unref();
  lookEverywhere();

  return {
    busy: () => filledSlots().length,
    speed: speed.read,
    async [Symbol.asyncDispose]() {
      stopped ??= stop();
      await stopped;
    },
  };

  function lookEverywhere(): void {
    for (const priority of priorities) worthALook.add(priority);
    proceed();
  }

  function lookAt(priority: Priority): void {
    worthALook.add(priority);
    proceed();
  }

  function proceed(): void {
    if (stopped || fetching || nextPriority() === undefined) return;
    fetching = fetchWhileFree()
      .catch(() => {})
      .finally(() => {
        fetching = undefined;
        proceed();
      });
  }

  async function fetchWhileFree(): Promise<void> {
    while (!stopped && nextPriority()) {
      const hesitation = (hesitationMs * filledSlots().length) / slotsFor('realtime');
      if (hesitation >= 1) await delay(hesitation);
      const priority = nextPriority();
      if (!priority || stopped) return;
      worthALook.delete(priority);
      const job = await intake.take(priority);
      if (!job) continue;
      worthALook.add(priority);
      begin(job);
    }
  }

  function nextPriority(): Priority | undefined {
    return priorities.find((priority) => worthALook.has(priority) && hasFreeSlot(priority));
  }

  /** As the local dispatcher has it: slots are kept for what is more urgent. */
  function hasFreeSlot(priority: Priority): boolean {
    const rank = priorities.indexOf(priority);
    const filled = filledSlots();
    const notAbove = filled.filter((job) => priorities.indexOf(job.priority) >= rank);
    return filled.length < slotsFor('realtime') && notAbove.length < slotsFor(priority);
  }

  function filledSlots(): Held[] {
    return [...held.values()].filter(({ fillsSlot }) => fillsSlot);
  }

  function begin(taken: TakenJob): void {
    const abort = new AbortController();
    const job: Held = { ...taken, abort, fillsSlot: true, done: Promise.resolve() };
    held.set(job.id, job);
    job.done = carryOut(job)
      .catch((err) => log?.warn({ err }, 'a job could not be answered'))
      .finally(() => {
        held.delete(job.id);
        job.letGo();
        proceed();
      });
  }

  async function carryOut(job: Held): Promise<void> {
    const { signal } = job.abort;
    const reason = () => signal.reason as symbol;
    if (job.givenUp) {
      await receiver.answer(job.id, packErrorAnswer(unavailable(givenUp)));
      return job.setAside(diedTwice);
    }
    const input = await receiver.readInput(job.id);
    // Its node has taken it back, or is gone.
    if (!input) return job.complete();
    let bytes: Buffer;
    try {
      const decoded = codec.unpackJob(input);
      const { requestId, priority } = job;
      const result = await speed.measure(codec.audioSeconds(decoded), () =>
        dispatcher.run(decoded, { requestId, priority, signal }),
      );
      job.fillsSlot = false;
      proceed();
      bytes = packResultAnswer(codec, result);
    } catch (error) {
      if (signal.aborted && reason() === notWanted) return job.complete();
      if (signal.aborted || hasCode(error, 'shutting_down')) return putBack(job);
      await receiver.answer(job.id, packErrorAnswer(error));
      return hasCode(error, 'internal_error') ? job.setAside(String((error as Error).cause)) : job.complete();
    }
    await receiver.answer(job.id, bytes);
    await job.complete();
  }

  async function putBack(job: Held): Promise<void> {
    await job.handBack();
    await receiver.callOthers(job.priority);
  }

  async function stop(): Promise<void> {
    clearInterval(timer);
    await fetching;
    const running = () => [...held.values()].map(({ done }) => done);
    await settledWithin(options.drainMs ?? 10_000, running());
    for (const job of held.values()) job.abort.abort(handBack);
    await settledWithin(2_000, running());
    await channels[Symbol.asyncDispose]();
    await intake[Symbol.asyncDispose]();
    receiver[Symbol.dispose]();
  }
}
