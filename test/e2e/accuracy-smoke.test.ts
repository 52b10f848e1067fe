import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { readSpeechSets, type Sentence, speechFolder } from '../../bench/speech-sets.ts';
import { errorRate, score } from '../../evaluation/scoring.ts';
import { pcmSampleRate } from '../../src/audio/pcm.ts';
import { loadConfig } from '../../src/settings/config.ts';
import { joinText } from '../../src/speech/text/join-text.ts';
import { createRecogniser } from '../../src/wiring/create-recogniser.ts';
import { decodeAll, inChunks } from '../audio/fixtures.ts';
import { testModels } from '../support/tiny-model.ts';
import { toWave } from '../support/wave.ts';

/** Far above what the benchmark finds (bench/accuracy.ts): a smoke test sees what is broken, not what is a little worse. */
const bounds = { mandarin: 0.3, english: 0.25 };

test('the small model recognises people who speak Mandarin and English', async (t) => {
  const folder = speechFolder(process.env);
  if (!existsSync(folder)) {
    t.skip(`no recordings at ${folder}: accuracy smoke test not run`);
    return;
  }
  await using recogniser = await createRecogniser({
    config: loadConfig({ SIANN_MODEL: 'small', SIANN_CACHE: testModels }),
  });
  for (const { name, sentences } of await readSpeechSets(folder, Object.keys(bounds))) {
    const chosen = sentences.filter(({ seconds }) => seconds < 6).slice(0, 6);
    const texts: string[] = [];
    const bytes = inChunks(await inOneRecording(chosen));
    for await (const { text } of recogniser.transcribe(bytes, { language: 'mixed' })) texts.push(text);
    const said = chosen.map(({ text }) => text).join(' ');
    const rate = errorRate(score(said, joinText(texts), { numbersFolded: true }));
    t.diagnostic(`${name}: ${(100 * rate).toFixed(1)} % of units wrong`);
    assert(rate < bounds[name as keyof typeof bounds], `${name}: ${rate}\n${said}\n${joinText(texts)}`);
  }
});

/** Sentences half a second apart fill one window, which costs a sixth of six. */
async function inOneRecording(sentences: Sentence[]): Promise<Uint8Array> {
  const samples: number[] = [];
  for (const { file } of sentences) {
    samples.push(...(await decodeAll(new Uint8Array(await readFile(file)))));
    samples.push(...new Float32Array(pcmSampleRate / 2));
  }
  return toWave(Float32Array.from(samples));
}
