import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openVoiceActivity } from '../../voice-graph.ts';
import { readFixture } from '../../voice-sounds.ts';

test('the probabilities do not depend on how the samples arrive', async () => {
  await using voice = await openVoiceActivity();
  const speech = await readFixture('two-sentences.flac');
  const [whole, inParts] = [voice.open(), voice.open()];
  const expected = [...(await whole.push(speech)), ...(await whole.end())];
  const found: number[] = [];
  for (let at = 0, size = 1; at < speech.length; at += size, size = (size * 7 + 3) % 5_000) {
    found.push(...(await inParts.push(speech.subarray(at, at + size))));
  }
  found.push(...(await inParts.end()));
  assert.equal(found.length, Math.ceil(speech.length / 512));
  assert(found.every((probability, frame) => Math.abs(probability - expected[frame]!) < 1e-4));
});

test('two recordings analysed at the same time do not disturb each other', async () => {
  await using voice = await openVoiceActivity();
  const speech = await readFixture('speech.flac');
  const alone = await voice.open().push(speech);
  const [first, second] = [voice.open(), voice.open()];
  await second.push(speech.subarray(20_000, 40_000));
  assert.deepEqual(await first.push(speech), alone);
});
