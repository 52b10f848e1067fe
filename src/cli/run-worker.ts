import { createServiceLog } from '../http/service-log.ts';
import { createWorkerService } from '../worker-service.ts';
import { checkBeforeStart, explainStartFailure } from './before-start.ts';
import type { CommandContext } from './command.ts';
import { exitCodes } from './exit-codes.ts';
import { createProgressBar } from './progress-bar.ts';
import { aborted, unlessAborted } from './until-aborted.ts';

/** Works until it is told to stop, and finishes what it has taken then, or hands it back. */
export async function runWorker(context: CommandContext): Promise<number> {
  const { signal } = context;
  const config = context.loadConfig();
  const log = createServiceLog({ level: config.logLevel, output: context.stdout });
  await using bar = createProgressBar(context.stderr);
  for (const sentence of await checkBeforeStart(config)) context.stderr.write(`${sentence}\n`);
  signal.throwIfAborted();
  bar.showStep('taking the port', 0);
  const starting = createWorkerService({
    config,
    log,
    onPrepare: ({ step, fraction }) => bar.showStep(step, fraction),
  });
  const worker = await unlessAborted(starting, signal).catch((error) => {
    throw explainStartFailure(error);
  });
  try {
    bar.showStep('starting recognition', 0.9);
    await unlessAborted(worker.ready(), signal);
    bar.clear();
    await aborted(signal);
  } catch (error) {
    if (!signal.aborted) {
      await worker[Symbol.asyncDispose]();
      throw error;
    }
  }
  log.info({ drainSeconds: config.drainSeconds }, 'stopping');
  worker.drain();
  await worker[Symbol.asyncDispose]();
  log.info({}, 'stopped');
  return exitCodes.ok;
}
