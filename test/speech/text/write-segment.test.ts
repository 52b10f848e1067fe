import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeSegment } from '../../../src/speech/text/write-segment.ts';
import { recognisedSegment, recognisedWindow, speechWindow } from '../recognised.ts';

const word = (text: string, startSeconds: number, endSeconds: number) => ({
  text,
  startSeconds,
  endSeconds,
  probability: 0.9,
});

test('times are those of the recording, across a silence that the window left out', () => {
  const window = speechWindow({
    pieces: [
      { windowStartSeconds: 0, startSeconds: 100, durationSeconds: 4 },
      { windowStartSeconds: 4, startSeconds: 160, durationSeconds: 6 },
    ],
  });
  const words = [word(' Good', 1, 2), word(' morning.', 4.5, 5)];
  const segment = recognisedSegment({ startSeconds: 1, endSeconds: 5, words });
  const written = writeSegment(segment, recognisedWindow([segment]), window, 'mixed');
  assert.deepEqual([written.startSeconds, written.endSeconds], [101, 161]);
  assert.deepEqual(
    written.words.map(({ text, startSeconds, endSeconds }) => [text, startSeconds, endSeconds]),
    [
      ['Good', 101, 102],
      ['morning.', 160.5, 161],
    ],
  );
});

test('text and words are in the script asked for, with Chinese punctuation', () => {
  const words = [word('头', 0, 1), word('发', 1, 2), word('很', 2, 3), word('长,', 3, 4)];
  const segment = recognisedSegment({ text: '头发很长,', words });
  const recognised = recognisedWindow([segment], { language: 'zh' });
  const taiwan = writeSegment(segment, recognised, speechWindow(), 'zh-TW');
  assert.equal(taiwan.text, '頭髮很長，');
  // 发 alone would become 發: the words are converted in one piece.
  assert.deepEqual(taiwan.words.map(({ text }) => text).slice(0, 3), ['頭', '髮', '很']);
  const mainland = writeSegment(segment, recognised, speechWindow(), 'zh-CN');
  assert.equal(mainland.text, '头发很长，');
});

test("a segment carries its own mean, and its window's other figures", () => {
  const segment = recognisedSegment({ logProbabilities: [-1, -0.5] });
  const recognised = recognisedWindow([segment], {
    temperature: 0.4,
    compressionRatio: 1.7,
    noSpeechProbability: 0.2,
    averageLogProbability: -0.9,
  });
  const written = writeSegment(segment, recognised, speechWindow(), 'en-US');
  assert.equal(written.text, 'Good morning.');
  assert.equal(written.language, 'en');
  assert.deepEqual(written.tokens, segment.tokens);
  assert.deepEqual(
    [
      written.averageLogProbability,
      written.temperature,
      written.compressionRatio,
      written.noSpeechProbability,
    ],
    [-0.75, 0.4, 1.7, 0.2],
  );
});

test('Mandarin in Simplified characters is Mandarin, even with a character of Taiwanese in it', () => {
  const segment = recognisedSegment({ text: '都可以毋顾记得拿起手机' });
  const recognised = recognisedWindow([segment], { language: 'zh' });
  const written = writeSegment(segment, recognised, speechWindow(), 'mixed');
  assert.deepEqual([written.text, written.language], ['都可以毋顧記得拿起手機', 'zh']);
});

test('Taiwanese is never written in Simplified characters, and those that look like them stay', () => {
  const segment = recognisedSegment({ text: '伊有两个手机囥佇庄跤' });
  const recognised = recognisedWindow([segment], { language: 'nan' });
  for (const setting of ['mixed', 'zh-CN', 'nan-TW'] as const) {
    const written = writeSegment(segment, recognised, speechWindow(), setting);
    assert.deepEqual([written.text, written.language], ['伊有兩个手機囥佇庄跤', 'nan']);
  }
});

test('Taiwanese keeps its characters in every setting, and is called by its name', () => {
  const text = '𪜶講伊袂來,咱後日佇臺北相等';
  const segment = recognisedSegment({ text });
  for (const setting of ['mixed', 'zh-TW', 'zh-CN', 'nan-TW'] as const) {
    for (const language of ['zh', 'nan'] as const) {
      const written = writeSegment(
        segment,
        recognisedWindow([segment], { language }),
        speechWindow(),
        setting,
      );
      assert.equal(written.text, '𪜶講伊袂來，咱後日佇臺北相等');
      assert.equal(written.language, 'nan');
    }
  }
});
