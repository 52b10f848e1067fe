import type { PrepareProgress } from '../../model/prepare-model.ts';
import { createServiceLog, type ServiceLog } from '../../operations/service-log.ts';
import { lookUpLinesWhenWritten } from '../../operations/source-lines.ts';
import type { Config } from '../../settings/config.ts';
import type { CommandContext } from '../command.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { createProgressBar } from '../terminal/progress-bar.ts';
import { unlessAborted, untilAborted } from '../terminal/until-aborted.ts';
import { checkBeforeStart, explainStartFailure } from './before-start.ts';

type Running = AsyncDisposable & { drain(): void | Promise<void> };

type StartOptions = { config: Config; log: ServiceLog; onPrepare(progress: PrepareProgress): void };

type Options<Started extends Running> = {
  context: CommandContext;
  start(options: StartOptions): Promise<Started>;
  /** The work to do before it is ready. The title is shown meanwhile. */
  steps(started: Started): { title: string; fraction: number; work(): Promise<unknown> }[];
  onReady?(started: Started): Promise<void>;
};

/** Runs until it is told to stop, and then lets running work finish. A second signal ends the process at once. */
export async function runUntilStopped<Started extends Running>(options: Options<Started>): Promise<number> {
  const { context } = options;
  const { signal } = context;
  const config = context.loadConfig();
  const log = createServiceLog({ level: config.logLevel, output: context.stdout });
  await using bar = createProgressBar(context.stderr);
  for (const sentence of await checkBeforeStart(config)) context.stderr.write(`${sentence}\n`);
  signal.throwIfAborted();
  bar.showStep('taking the ports', 0);
  const onPrepare = ({ step, fraction }: PrepareProgress) => bar.showStep(step, fraction);
  const started = await unlessAborted(options.start({ config, log, onPrepare }), signal).catch((error) => {
    throw explainStartFailure(error);
  });
  try {
    for (const { title, fraction, work } of options.steps(started)) {
      bar.showStep(title, fraction);
      await unlessAborted(work(), signal);
    }
    bar.clear();
    lookUpLinesWhenWritten();
    await options.onReady?.(started);
    await untilAborted(signal);
  } catch (error) {
    if (!signal.aborted) {
      await started[Symbol.asyncDispose]();
      throw error;
    }
  }
  log.info({ drainSeconds: config.drainSeconds }, 'stopping');
  await started.drain();
  await started[Symbol.asyncDispose]();
  log.info({}, 'stopped');
  return exitCodes.ok;
}
