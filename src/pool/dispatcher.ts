/** Where work goes to be computed: a pool of processes on this machine, or a queue that other machines serve. */
export interface Dispatcher<Job, Result> extends AsyncDisposable {
  run(job: Job, options: RunOptions): Promise<Result>;
}

/** Speech that somebody is speaking now, results that somebody waits for, and everything else, in the order in which they are served. */
export const priorities = ['realtime', 'interactive', 'file'] as const;
export type Priority = (typeof priorities)[number];

export type RunOptions = {
  /** Requests are served round robin, so that a long file with many jobs cannot crowd out others. */
  requestId: string;
  priority: Priority;
  signal?: AbortSignal;
};
