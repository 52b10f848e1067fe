import { createReadStream } from 'node:fs';
import { joinText } from '../../src/speech/join-text.ts';
import { type LanguageSetting, languageSettings, type Segment } from '../../src/speech/segment.ts';
import type { Engine, EngineOptions, ModelSize } from './engine.ts';

interface Recogniser extends AsyncDisposable {
  transcribe(
    bytes: AsyncIterable<Uint8Array>,
    options: { language: LanguageSetting },
  ): AsyncIterable<Segment>;
}

/** This project's own recogniser, given the file's bytes as an upload would be: its seconds include decoding. */
export async function createSiannEngine({ model }: EngineOptions): Promise<Engine> {
  const entry = new URL('../../src/recogniser.ts', import.meta.url).href;
  const { createRecogniser } = (await import(entry)) as {
    createRecogniser(options: { model: ModelSize }): Promise<Recogniser>;
  };
  const recogniser = await createRecogniser({ model });

  return {
    name: 'siann',
    async transcribe(file, { language } = {}) {
      const started = performance.now();
      const texts: string[] = [];
      const setting = toSetting(language);
      for await (const segment of recogniser.transcribe(createReadStream(file), { language: setting }))
        texts.push(segment.text);
      return { text: joinText(texts), seconds: (performance.now() - started) / 1000 };
    },
    async [Symbol.asyncDispose]() {
      await recogniser[Symbol.asyncDispose]();
    },
  };
}

function toSetting(language = 'mixed'): LanguageSetting {
  const setting = languageSettings.find((each) => each === language || each.startsWith(`${language}-`));
  if (!setting) throw new Error(`${language}: expected ${languageSettings.join(', ')}`);
  return setting;
}
