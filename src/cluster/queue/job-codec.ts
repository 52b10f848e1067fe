// Jobs and their results travel as bytes, since JSON would make four times as many of audio.

/** What the node needs that sends jobs. */
export type NodeCodec<Job, Result> = {
  packJob(job: Job): Buffer;
  unpackResult(bytes: Buffer): Result;
};

/** What a worker needs; jobs may arrive in another form than they were sent in. */
export type WorkerCodec<Job, Result> = {
  unpackJob(bytes: Buffer): Job;
  packResult(result: Result): Buffer;
};

export type JobCodec<Job, Result, Arrived = Job> = NodeCodec<Job, Result> & WorkerCodec<Arrived, Result>;
