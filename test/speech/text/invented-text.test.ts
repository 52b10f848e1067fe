import assert from 'node:assert/strict';
import { test } from 'node:test';
import { meanLogProbability, withoutInvented } from '../../../src/speech/text/invented-text.ts';
import { recognisedSegment, recognisedWindow, speechWindow } from '../recognised.ts';

const kept = (...parameters: Parameters<typeof withoutInvented>) =>
  withoutInvented(...parameters).map(({ text }) => text);
const thanks = recognisedSegment({ text: ' Thank you for watching.' });
const unsure = { logProbabilities: [-0.7, -0.8] };

test('ordinary speech is kept, sure or not', () => {
  const segments = [recognisedSegment(), recognisedSegment({ ...unsure, text: '我們明天見面' })];
  const doubtful = speechWindow({ meanProbability: 0.5 });
  assert.deepEqual(kept(recognisedWindow(segments), doubtful), [' Good morning.', '我們明天見面']);
});

test('what nobody says is never kept, however sure the model is', () => {
  const segments = [recognisedSegment({ text: '字幕由Amara.org社區提供' }), recognisedSegment()];
  assert.deepEqual(kept(recognisedWindow(segments), speechWindow()), [' Good morning.']);
});

test('a phrase that people do say is kept when the model and the voice are sure', () => {
  assert.deepEqual(kept(recognisedWindow([thanks]), speechWindow()), [thanks.text]);
});

test('it goes when the model is not sure of the words', () => {
  const segment = recognisedSegment({ ...unsure, text: thanks.text });
  assert.deepEqual(kept(recognisedWindow([segment]), speechWindow()), []);
});

test('it is dropped when the model finds no speech', () => {
  assert.deepEqual(kept(recognisedWindow([thanks], { noSpeechProbability: 0.7 }), speechWindow()), []);
});

test('it goes when the voice detector is not sure', () => {
  assert.deepEqual(kept(recognisedWindow([thanks]), speechWindow({ meanProbability: 0.7 })), []);
});

test('a window without speech and without a likely text is dropped whole', () => {
  const hopeless = { noSpeechProbability: 0.7, averageLogProbability: -1.1 };
  assert.deepEqual(kept(recognisedWindow([recognisedSegment()], hopeless), speechWindow()), []);
  for (const oneSide of [{ noSpeechProbability: 0.7 }, { averageLogProbability: -1.1 }]) {
    assert.equal(kept(recognisedWindow([recognisedSegment()], oneSide), speechWindow()).length, 1);
  }
});

test('what sounds little like a voice is kept only when the decoder is sure of it', () => {
  const likely = (averageLogProbability: number) =>
    recognisedWindow([recognisedSegment()], { averageLogProbability });
  const doubtful = speechWindow({ meanProbability: 0.6 });
  assert.equal(kept(likely(-0.3), doubtful).length, 1);
  assert.equal(kept(likely(-0.5), doubtful).length, 0);
  assert.equal(kept(likely(-0.5), speechWindow({ meanProbability: 0.8 })).length, 1);
});

test('a guess at a sound shorter than a word is dropped, and one at a longer sound is not', () => {
  const guess = recognisedWindow([recognisedSegment()], { averageLogProbability: -1.3 });
  const lasting = (endSeconds: number) => speechWindow({ speech: [{ startSeconds: 0.2, endSeconds }] });
  assert.equal(kept(guess, lasting(0.6)).length, 0);
  assert.equal(kept(guess, lasting(2)).length, 1);
});

test("a segment is as likely as its tokens' mean, and one without tokens is not NaN", () => {
  assert(Math.abs(meanLogProbability(recognisedSegment()) + 0.2) < 1e-12);
  assert.equal(meanLogProbability(recognisedSegment({ logProbabilities: [] })), 0);
});
