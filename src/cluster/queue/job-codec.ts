// Jobs and results travel as bytes, since audio would be four times as large in JSON.

/** For a node, which sends jobs. */
export type NodeCodec<Job, Result> = {
  packJob(job: Job): Buffer;
  /** Checks what a worker wrote before it is used, and throws when it cannot be a result. */
  unpackResult(bytes: Buffer): Result;
  /** More than this is not read. */
  maxResultBytes: number;
};

/** For a worker. The type of a job may be another there than the one that was sent. */
export type WorkerCodec<Job, Result> = {
  unpackJob(bytes: Buffer): Job;
  maxJobBytes: number;
  packResult(result: Result): Buffer;
};

export type JobCodec<Job, Result, Arrived = Job> = NodeCodec<Job, Result> & WorkerCodec<Arrived, Result>;
