import { createReadStream } from 'node:fs';
import { loadConfig } from '../../src/config.ts';
import { createRecogniser } from '../../src/main.ts';
import { joinText } from '../../src/speech/join-text.ts';
import { type LanguageSetting, languageSettings } from '../../src/speech/segment.ts';
import type { Engine, EngineOptions } from './engine.ts';

/** This project's own recogniser as it is set up for use, given the file's bytes: its seconds include decoding. */
export async function createSiannEngine({ model }: EngineOptions): Promise<Engine> {
  const recogniser = await createRecogniser({ config: { ...loadConfig(process.env), model } });

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
