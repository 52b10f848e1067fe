import { deserialize, serialize } from 'node:v8';

/** How jobs and their results travel: as bytes, since JSON would make four times as many of audio. */
export type JobCodec<Job, Result> = {
  packJob(job: Job): Buffer;
  unpackJob(bytes: Buffer): Job;
  packResult(result: Result): Buffer;
  unpackResult(bytes: Buffer): Result;
  /** How much audio is in a job, for the speed that a worker announces. */
  audioSeconds(job: Job): number;
};

/** Plain data and typed arrays as they are. */
export function plainCodec<Job, Result>(): JobCodec<Job, Result> {
  return {
    packJob: serialize,
    unpackJob: deserialize,
    packResult: serialize,
    unpackResult: deserialize,
    audioSeconds: () => 0,
  };
}
