import type { Recogniser } from '../../speech/recogniser.ts';
import type { CommandContext } from '../command.ts';
import type { ProgressBar } from '../terminal/progress-bar.ts';

/** The recogniser, with the bar showing how far its model is; an interruption does not wait for it. */
export async function prepareRecogniser(context: CommandContext, bar: ProgressBar): Promise<Recogniser> {
  const { signal } = context;
  // A command's own file is recognised by the command's own processes.
  const config = { ...context.loadConfig({ SIANN_ROLE: 'all' }), redisUrl: undefined };
  signal.throwIfAborted();
  const prepared = context.createRecogniser({
    config,
    onPrepare: ({ step, fraction }) => bar.showStep(step, fraction),
  });
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    prepared.then(resolve, reject);
  });
}
