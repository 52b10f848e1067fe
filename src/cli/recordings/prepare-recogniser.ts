import type { Recogniser } from '../../speech/recogniser.ts';
import type { CommandContext } from '../command.ts';
import type { ProgressBar } from '../terminal/progress-bar.ts';
import { unlessAborted } from '../terminal/until-aborted.ts';

/** Creates the recogniser, and shows on the bar how its model is prepared. An interruption does not wait for that. */
export async function prepareRecogniser(context: CommandContext, bar: ProgressBar): Promise<Recogniser> {
  const { signal } = context;
  // The command recognises in processes of its own, even if the settings name a Redis.
  const config = { ...context.loadConfig({ SIANN_ROLE: 'all' }), redisUrl: undefined };
  signal.throwIfAborted();
  const created = context.createRecogniser({
    config,
    onPrepare: ({ step, fraction }) => bar.showStep(step, fraction),
  });
  return unlessAborted(created, signal);
}
