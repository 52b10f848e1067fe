/** What a job module offers: it is loaded in every inference process, which calls `createJobRunner` once. */
export interface JobRunner<Job, Result> {
  /** May be called again before an earlier call has finished, up to `slots` times; the runner may batch them. */
  run(job: Job, signal: AbortSignal): Promise<Result>;
}

export type JobModule<Settings, Job, Result> = {
  createJobRunner(settings: Settings): Promise<JobRunner<Job, Result>>;
};
