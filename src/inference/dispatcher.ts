/** Where work goes to be computed: a pool of processes on this machine, or a queue that other machines serve. */
export interface Dispatcher<Job, Result> extends AsyncDisposable {
  run(job: Job, options: RunOptions): Promise<Result>;
}

export type Priority = 'interactive' | 'file';

export type RunOptions = {
  /** Jobs of one request share its turn, so that a long file cannot crowd out others. */
  requestId: string;
  priority: Priority;
  signal?: AbortSignal;
};
