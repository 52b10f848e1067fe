import { choose } from '../../evaluation/command-options.ts';
import { loadConfig } from '../../src/settings/config.ts';
import { type ModelSize, modelSizes } from '../engines/engine.ts';

/** The model that was asked for, or the usual one. */
export function servedModel(asked: string | undefined, usual: ModelSize): ModelSize {
  return asked ? choose('model', modelSizes, asked) : usual;
}

/** The settings with which a service runs it, prepared where those of this machine are. */
export function servedSettings(asked: string | undefined, usual: ModelSize): Record<string, string> {
  return { SIANN_MODEL: servedModel(asked, usual), SIANN_CACHE: loadConfig(process.env).cacheFolder };
}
