import { createServiceLog } from '../http/service-log.ts';
import { createService, type Service } from '../service.ts';
import { checkBeforeStart, explainStartFailure } from './before-start.ts';
import type { CommandContext } from './command.ts';
import { exitCodes } from './exit-codes.ts';
import { createProgressBar } from './progress-bar.ts';
import { aborted, unlessAborted } from './until-aborted.ts';

/**
 * Runs the service until it is told to stop, and lets running requests finish then. A second signal finds no listener and
 * ends the process at once.
 */
export async function runService(
  context: CommandContext,
  onReady: (service: Service) => Promise<void> = async () => {},
): Promise<number> {
  const { signal } = context;
  const config = context.loadConfig();
  const log = createServiceLog({ level: config.logLevel, output: context.stdout });
  await using bar = createProgressBar(context.stderr);
  for (const sentence of await checkBeforeStart(config)) context.stderr.write(`${sentence}\n`);
  signal.throwIfAborted();
  bar.showStep('taking the ports', 0);
  const starting = createService({
    config,
    log,
    createRecogniser: context.createRecogniser,
    onPrepare: ({ step, fraction }) => bar.showStep(step, fraction),
  });
  const service = await unlessAborted(starting, signal).catch((error) => {
    throw explainStartFailure(error);
  });
  context.onReload(() => void service.reloadCertificate());
  try {
    bar.showStep('starting recognition', 0.9);
    await unlessAborted(service.recogniser.ready(), signal);
    bar.showStep('building the console', 0.97);
    await unlessAborted(service.prepareConsole(), signal);
    bar.clear();
    await onReady(service);
    await aborted(signal);
  } catch (error) {
    if (!signal.aborted) {
      await service[Symbol.asyncDispose]();
      throw error;
    }
  }
  log.info({ drainSeconds: config.drainSeconds }, 'stopping');
  await service.drain();
  await service[Symbol.asyncDispose]();
  log.info({}, 'stopped');
  return exitCodes.ok;
}
