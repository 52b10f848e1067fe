import { hasCode } from '../../errors/service-error.ts';
import type { Dispatcher } from '../../pool/dispatcher.ts';
import { packErrorAnswer, packResultAnswer } from '../queue/job-answer.ts';
import type { WorkerCodec } from '../queue/job-codec.ts';
import type { TakenJob } from '../queue/job-intake.ts';
import type { JobReceiver } from '../queue/job-receiver.ts';
import { unavailable } from '../unavailable.ts';

/** Why a running job is aborted: nobody wants it any more, or this worker ends and another shall do it. */
export const notWanted = Symbol('not wanted');
export const handBack = Symbol('hand back');

/** Why a job was set aside, as operators find it in its record. */
export const diedTwice = 'two workers died with it';

/** Does a job that was taken, and answers it. Rejects when it could not be answered. */
export type RunJob = (job: TakenJob, run: { signal: AbortSignal; onResult(): void }) => Promise<void>;

type Options<Job, Result> = {
  codec: WorkerCodec<Job, Result>;
  dispatcher: Dispatcher<Job, Result>;
  receiver: JobReceiver;
};

/** Machines that fail are a likelier reason than the recording, so that its caller may send it again. */
const givenUp =
  'A part of the recording was given up after two tries, in each of which its process ended. Try again.';

export function createJobRunner<Job, Result>({ codec, dispatcher, receiver }: Options<Job, Result>): RunJob {
  return async (job, { signal, onResult }) => {
    const { id, requestId, priority } = job;
    if (job.givenUp) {
      await receiver.answer(id, packErrorAnswer(unavailable({ message: givenUp })));
      return job.setAside(diedTwice);
    }
    const input = await receiver.readInput(id);
    // Its node has taken it back, or is gone.
    if (!input) return job.complete();
    let answer: Buffer;
    try {
      const result = await dispatcher.run(codec.unpackJob(input), { requestId, priority, signal });
      onResult();
      answer = packResultAnswer(codec, result);
    } catch (error) {
      return answerFailure(job, error, signal);
    }
    await receiver.answer(id, answer);
    await job.complete();
  };

  async function answerFailure(job: TakenJob, error: unknown, signal: AbortSignal): Promise<void> {
    if (signal.aborted && signal.reason === notWanted) return job.complete();
    if (signal.aborted || hasCode(error, 'shutting_down')) {
      await job.handBack();
      return receiver.callOthers(job.priority);
    }
    if (!hasCode(error, 'internal_error')) {
      await receiver.answer(job.id, packErrorAnswer(error));
      return job.complete();
    }
    // Its processes died with the job, or do not start: to its caller that is the same as workers that die.
    await receiver.answer(job.id, packErrorAnswer(unavailable({ message: givenUp, cause: error.cause })));
    return job.setAside(String(error.cause));
  }
}
