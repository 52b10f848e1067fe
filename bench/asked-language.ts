import type { EngineName } from './engines/engine.ts';

/**
 * `mixed` leaves the language to the engine, `set` tells it what is spoken, anything else is passed on as it is. Unless
 * asked otherwise, peers are told, because they cannot mix languages; ours listens, as it does by default.
 */
export function languageFor(engine: EngineName, spoken: string, asked?: string): string | undefined {
  const setting = asked ?? (engine === 'siann' ? 'mixed' : 'set');
  if (setting === 'mixed') return undefined;
  return setting === 'set' ? spoken : setting;
}
