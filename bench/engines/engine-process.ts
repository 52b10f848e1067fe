// Runs one engine for `separate-process.ts`: requests come in as messages, transcripts go out.
import { createEngine } from './create-engine.ts';
import { type EngineName, engineNames } from './engine.ts';
import type { Reply, Request } from './separate-process.ts';

const [name, options] = process.argv.slice(2);
const engine = createEngine(engineNames.find((each) => each === name) as EngineName, JSON.parse(options!));

process.on('message', async ({ id, file, options }: Request) => {
  const reply: Reply = await engine
    .then((ready) => ready.transcribe(file, options))
    .then(
      (transcription) => ({ id, transcription }),
      (error: Error) => ({ id, error: error.message }),
    );
  process.send?.(reply);
});
