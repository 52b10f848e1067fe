/** The entry of an inference process: loads the job module it is told to, runs jobs, answers each one once. */
import { packError } from './carried-error.ts';
import type { JobModule, JobRunner } from './job-runner.ts';
import type { FromChild, ToChild } from './messages.ts';

serveParent();

function serveParent(): void {
  const cancels = new Map<number, AbortController>();
  let runner: JobRunner<unknown, unknown> | undefined;

  process.on('disconnect', () => process.exit());
  // The parent decides: on Ctrl-C, or when a service manager signals the whole group, it drains and then kills.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => {});
  process.on('message', (message: ToChild) => {
    switch (message.type) {
      case 'start':
        void start(message);
        break;
      case 'run':
        void answer(message.id, message.job);
        break;
      case 'cancel':
        cancels.get(message.id)?.abort();
        break;
      default:
        message satisfies never;
    }
  });
  if (!process.connected) process.exit();

  async function start({ moduleUrl, settings, memoryReportMs }: ToChild & { type: 'start' }): Promise<void> {
    try {
      const module: Partial<JobModule<unknown, unknown, unknown>> = await import(moduleUrl);
      if (!module.createJobRunner) throw new Error(`${moduleUrl} does not export createJobRunner.`);
      runner = await module.createJobRunner(settings);
    } catch (error) {
      process.send?.({ type: 'start_failed', error: packError(error) } satisfies FromChild, () =>
        process.exit(1),
      );
      return;
    }
    send({ type: 'ready', rssBytes: process.memoryUsage.rss() });
    setInterval(() => send({ type: 'memory', rssBytes: process.memoryUsage.rss() }), memoryReportMs).unref();
  }

  async function answer(id: number, job: unknown): Promise<void> {
    const cancel = new AbortController();
    cancels.set(id, cancel);
    try {
      const result = await runner?.run(job, cancel.signal);
      send({ type: 'done', id, rssBytes: process.memoryUsage.rss(), result });
    } catch (error) {
      send({ type: 'failed', id, rssBytes: process.memoryUsage.rss(), error: packError(error) });
    } finally {
      cancels.delete(id);
    }
  }
}

/** A write that fails means that the parent is gone, which 'disconnect' deals with. */
function send(message: FromChild): void {
  process.send?.(message, undefined, undefined, () => {});
}
