import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Pcm, pcmSampleRate } from '../../../../src/audio/pcm.ts';
import { withSecondHearing } from '../../../../src/speech/windows/voice/second-hearing.ts';
import type { HeardBlock } from '../../../../src/speech/windows/voice/voice-activity.ts';
import { packWindows } from '../../../../src/speech/windows/windows.ts';
import { openVoiceActivity } from '../../voice-graph.ts';
import { mainsHum, readFixture, silence, whiteNoise } from '../../voice-sounds.ts';

async function spokenSeconds(samples: Pcm): Promise<number> {
  await using voice = await openVoiceActivity();
  let seconds = 0;
  for await (const { speech } of packWindows(inOnePiece(samples), voice))
    for (const { startSeconds, endSeconds } of speech) seconds += endSeconds - startSeconds;
  return seconds;
}

async function* inOnePiece(samples: Pcm): AsyncGenerator<Pcm> {
  yield samples;
}

/** Words out of the middle of a sentence, so quiet as from the other end of a hall. */
async function quietWords(): Promise<Pcm[]> {
  const speech = await readFixture('two-sentences.flac');
  const length = 0.6 * pcmSampleRate;
  const cuts: Pcm[] = [];
  for (let at = 0; at + length <= speech.length; at += length) {
    const word = speech.slice(at, at + length);
    const power = word.reduce((sum, sample) => sum + sample ** 2, 0) / length;
    if (power > 1e-3) cuts.push(word.map((sample) => Math.round(sample * 0.01 * 32768) / 32768));
  }
  return cuts;
}

test('quiet words that begin with the first sample are heard the second time', async () => {
  await using voice = await openVoiceActivity();
  let missedAtFirst = 0;
  const words = await quietWords();
  assert.ok(words.length >= 4);
  for (const word of words) {
    const stream = voice.open();
    const probabilities = [...(await stream.push(word)), ...(await stream.end())];
    if (Math.max(...probabilities) < 0.5) missedAtFirst++;
    assert.ok((await spokenSeconds(word)) > 0.1);
  }
  assert.ok(missedAtFirst > 0, 'none was missed at first');
});

test('sounds without words stay sounds, however quiet they are', async () => {
  for (const sound of [whiteNoise(2, -60), whiteNoise(2, -20), mainsHum(2, 50), silence(2)])
    assert.equal(await spokenSeconds(sound), 0);
});

test('blocks are held back only until somebody is heard, and for ten seconds at most', async () => {
  await using voice = await openVoiceActivity();
  const silent = { samples: new Float32Array(12_288), probabilities: new Float32Array(24) };
  const spoken = { samples: new Float32Array(12_288), probabilities: new Float32Array(24).fill(0.9) };
  let given = 0;
  const blocks = async function* (of: HeardBlock[]) {
    for (const block of of) {
      given++;
      yield block;
    }
  };
  const whenFirstCame = async (of: HeardBlock[]) => {
    given = 0;
    for await (const _ of withSecondHearing(blocks(of), voice)) return given;
    return 0;
  };
  assert.equal(await whenFirstCame([silent, silent, spoken, silent]), 3);
  assert.equal(await whenFirstCame(Array.from({ length: 40 }, () => silent)), 14);
  const all: HeardBlock[] = [];
  for await (const block of withSecondHearing(blocks([silent, silent]), voice)) all.push(block);
  assert.deepEqual(all, [silent, silent]);
});
