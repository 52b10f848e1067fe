/** Where work goes to be computed: a pool of processes on this machine, or a queue that other machines serve. */
export interface Dispatcher<Job, Result> extends AsyncDisposable {
  run(job: Job, options: RunOptions): Promise<Result>;
}

/** What somebody is speaking now, what somebody waits for, and everything else; the first comes first. */
export const priorities = ['realtime', 'interactive', 'file'] as const;
export type Priority = (typeof priorities)[number];

export type RunOptions = {
  /** Jobs of one request share its turn, so that a long file cannot crowd out others. */
  requestId: string;
  priority: Priority;
  signal?: AbortSignal;
};
