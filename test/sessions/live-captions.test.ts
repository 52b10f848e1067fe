import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { errorRate, score } from '../../evaluation/scoring.ts';
import { fixture } from '../../evaluation/spoken-files.ts';
import { type Pcm, pcmSampleRate } from '../../src/audio/pcm.ts';
import { loadConfig } from '../../src/settings/config.ts';
import type { Recogniser } from '../../src/speech/recogniser.ts';
import { joinText } from '../../src/speech/text/join-text.ts';
import { createRecogniser } from '../../src/wiring/create-recogniser.ts';
import { decodeAll, inChunks } from '../audio/fixtures.ts';
import { testModels } from '../support/tiny-model.ts';
import { startSession, transcripts } from './session-harness.ts';

let recogniser: Recogniser;

before(async () => {
  recogniser = await createRecogniser({
    config: loadConfig({ SIANN_MODEL: 'tiny', SIANN_CACHE: testModels }),
  });
  await recogniser.ready();
});

after(() => recogniser[Symbol.asyncDispose]());

test('a recording that is streamed in 20 ms frames gives about the text of the file', async () => {
  for (const name of ['speech-16k.wav', 'two-sentences.flac']) {
    const file: string[] = [];
    for await (const { text } of recogniser.transcribe(inChunks(fixture(name)), { language: 'en-US' }))
      file.push(text);
    const { text } = await stream(await decodeAll(fixture(name)));
    const difference = errorRate(score(joinText(file), text));
    assert(difference <= 0.15, `${difference}\n${joinText(file)}\n${text}`);
  }
});

test('two sentences are two finals, with the times at which they were said and those of their words', async () => {
  const { finals } = await stream(await decodeAll(fixture('two-sentences.flac')), true);
  assert.equal(finals.length, 2);
  const times = [
    [1, 3.34],
    [5.34, 8.41],
  ] as const;
  for (const [index, [start, end]] of times.entries()) {
    const { start: from, end: to, words = [], speech_final } = finals[index]!;
    assert(Math.abs(from - start) < 0.3 && Math.abs(to - end) < 0.3, `${from} to ${to}`);
    assert(speech_final);
    assert(words.length >= 6);
    assert(words.every((word, index) => word.start >= (words[index - 1]?.end ?? from) && word.end <= to));
  }
});

test('nothing is recognised in silence and in a soft hum', async () => {
  const hum = Float32Array.from({ length: 6 * pcmSampleRate }, (_, i) => 0.02 * Math.sin(i / 20));
  for (const audio of [new Float32Array(4 * pcmSampleRate), hum]) {
    const { finals } = await stream(audio);
    assert.deepEqual(finals, []);
  }
});

async function stream(audio: Pcm, words = false) {
  const { session, events, ended } = startSession({
    recogniser: recogniser.stream!,
    config: { language: 'en-US', words },
  });
  const bytes = new Uint8Array(Int16Array.from(audio, (sample) => sample * 32_767).buffer);
  const frame = (2 * pcmSampleRate) / 50;
  for (let at = 0; at < bytes.length; at += frame) {
    session.receiveAudio(bytes.subarray(at, at + frame));
    while (session.bufferedSeconds > 5) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  session.close();
  await ended();
  const finals = transcripts(events).filter(({ is_final }) => is_final);
  return { finals, text: joinText(finals.map(({ text }) => text)) };
}
