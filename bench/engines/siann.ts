import type { Engine, EngineOptions } from './engine.ts';

/** This project's own recogniser, given the file's bytes as an upload would be. */
export async function createSiannEngine(_options: EngineOptions): Promise<Engine> {
  throw new Error('the recogniser is not connected to the benchmark yet');
}
