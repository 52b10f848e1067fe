import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cutPieces } from '../../training/cut-pieces.ts';

/** Half a second for each unit. */
const recognisedAs = (...units: string[]) =>
  units.map((unit, index) => ({ unit, startSeconds: index / 2, endSeconds: (index + 1) / 2 }));

test('a sentence is cut between words, into pieces of a few units with their times', () => {
  assert.deepEqual(cutPieces('打开我的歌声里', recognisedAs(...'打开我的歌声里'), 2), [
    { text: '打开', startSeconds: 0, endSeconds: 1 },
    { text: '我的', startSeconds: 1, endSeconds: 2 },
    { text: '歌声', startSeconds: 2, endSeconds: 3 },
  ]);
  assert.deepEqual(cutPieces('打开我的歌声里', recognisedAs(...'打开我的歌声里'), 4), [
    { text: '打开我的', startSeconds: 0, endSeconds: 2 },
  ]);
  assert.deepEqual(cutPieces("it's a light rain", recognisedAs('its', 'a', 'light', 'rain'), 2), [
    { text: "it's a", startSeconds: 0, endSeconds: 1 },
    { text: 'light rain', startSeconds: 1, endSeconds: 2 },
  ]);
});

test('nothing is cut out of a sentence in which something else was recognised', () => {
  assert.deepEqual(cutPieces('打开存在', recognisedAs(...'打开纯在'), 2), []);
  assert.deepEqual(cutPieces('打开存在', recognisedAs(...'打开存'), 2), []);
});

test('what was said in too short a time is left out', () => {
  const hasty = recognisedAs('打', '开', '存', '在').map((each) => ({
    ...each,
    endSeconds: each.startSeconds - 0.3,
  }));
  assert.deepEqual(cutPieces('打开存在', hasty, 2), []);
});
