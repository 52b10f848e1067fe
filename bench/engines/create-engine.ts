import type { Engine, EngineName, EngineOptions } from './engine.ts';

/** Opens an engine by name; only its own module is loaded, so that one engine's memory does not count as another's. */
export async function createEngine(name: EngineName, options: EngineOptions): Promise<Engine> {
  switch (name) {
    case 'siann':
      return (await import('./siann.ts')).createSiannEngine(options);
    case 'transformers':
      return (await import('./transformers.ts')).createTransformersEngine(options);
    case 'whisper.cpp':
      return (await import('./whisper-cpp.ts')).createWhisperCppEngine(options, process.env);
  }
}
