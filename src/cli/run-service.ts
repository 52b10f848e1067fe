import { createServiceLog } from '../http/service-log.ts';
import { createService, type Service } from '../service.ts';
import type { CommandContext } from './command.ts';
import { exitCodes } from './exit-codes.ts';
import { createProgressBar } from './progress-bar.ts';

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
  signal.throwIfAborted();
  const starting = createService({
    config,
    log,
    createRecogniser: context.createRecogniser,
    onPrepare: ({ step, fraction }) => bar.showStep(step, fraction),
  });
  const service = await unlessAborted(starting, signal);
  context.onReload(() => void service.reloadCertificate());
  try {
    await unlessAborted(service.recogniser.ready(), signal);
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

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
