import { createReadStream } from 'node:fs';
import { loadConfig } from '../../src/settings/config.ts';
import { joinText } from '../../src/speech/text/join-text.ts';
import { type LanguageSetting, languageSettings } from '../../src/speech/transcript/languages.ts';
import { createRecogniser } from '../../src/wiring/create-recogniser.ts';
import type { Engine, EngineOptions } from './engine.ts';

/** This project's own recogniser as it is set up for use, given the file's bytes: its seconds include decoding. */
export async function createSiannEngine({ model, context = 'short' }: EngineOptions): Promise<Engine> {
  const recogniser = await createRecogniser({ config: { ...loadConfig(process.env), model } });

  return {
    name: 'siann',
    async transcribe(file, { language } = {}) {
      const started = performance.now();
      const texts: string[] = [];
      const secondsByLanguage = new Map<string, number>();
      const options = { language: toSetting(language), context };
      for await (const segment of recogniser.transcribe(createReadStream(file), options)) {
        texts.push(segment.text);
        const seconds = segment.endSeconds - segment.startSeconds;
        secondsByLanguage.set(segment.language, (secondsByLanguage.get(segment.language) ?? 0) + seconds);
      }
      const seconds = (performance.now() - started) / 1000;
      const longest = [...secondsByLanguage].sort(([, a], [, b]) => b - a)[0]?.[0];
      return { text: joinText(texts), seconds, ...(longest && { language: longest }) };
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
