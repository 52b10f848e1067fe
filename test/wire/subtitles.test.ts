import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { toSrt, toVtt } from '../../wire/subtitles.ts';
import { columnsOf } from '../../wire/text-width.ts';

test('lines are cut between words, after punctuation if possible', () => {
  const english = 'The meeting starts at nine o’clock, so please bring the three reports that we discussed.';
  assert.deepEqual(linesOf(english, 42), [
    'The meeting starts at nine o’clock,',
    'so please bring the three reports that we',
    'discussed.',
  ]);
  assert.deepEqual(linesOf('今天天氣很好，我們一起去公園散步吧！', 20), [
    '今天天氣很好，',
    '我們一起去公園散步',
    '吧！',
  ]);
  assert.deepEqual(linesOf('我用 Visual Studio Code 寫「電腦程式」。', 16), [
    '我用 Visual',
    'Studio Code 寫',
    '「電腦程式」。',
  ]);
});

test('lines stay as they are without a width, or when they are short enough', () => {
  assert.deepEqual(linesOf('one two three', undefined), ['one two three']);
  assert.deepEqual(linesOf('one two\nthree', 10), ['one two', 'three']);
});

test('a speaker’s name takes part of the line in srt, and is a voice in vtt', () => {
  const cue = { start: 0, end: 1, text: 'one two three four', speaker: 0 };
  assert.equal(
    toSrt([cue], { maxLineWidth: 20 }),
    '1\n00:00:00,000 --> 00:00:01,000\nSpeaker 1: one two\nthree four\n\n',
  );
  assert.equal(
    toVtt([cue], { maxLineWidth: 20 }),
    'WEBVTT\n\n00:00:00.000 --> 00:00:01.000\n<v Speaker 1>one two three four\n\n',
  );
});

test('nothing is lost or split, and only a single word is wider than a line', () => {
  const segmenter = new Intl.Segmenter('zh-TW', { granularity: 'word' });
  const wordsIn = (line: string) => [...segmenter.segment(line)].filter(({ isWordLike }) => isWordLike);
  const marks = ['，', '。', '「', '」', '(', ')'];
  const word = fc.constantFrom('天氣', '公園', 'word', 'o’clock', 'extraordinarily', '3.5', ...marks);
  const texts = fc.array(fc.tuple(word, fc.constantFrom('', ' ')), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(texts, fc.integer({ min: 10, max: 60 }), (parts, width) => {
      const text = parts.flat().join('').trim();
      const lines = linesOf(text, width);
      const squeezed = (each: string) => each.replace(/\s/g, '');
      assert.equal(squeezed(lines.join('')), squeezed(text));
      for (const line of lines) {
        assert.ok(line !== '' && line === line.trim());
        const isOneWord = wordsIn(line).length <= 1;
        assert.ok(columnsOf(line) <= width || isOneWord, `${line} is wider than ${width}`);
      }
      for (const line of lines.slice(1)) assert.doesNotMatch(line, /^[，。」)]/);
    }),
  );
});

function linesOf(text: string, maxLineWidth: number | undefined): string[] {
  const options = maxLineWidth === undefined ? {} : { maxLineWidth };
  return toSrt([{ start: 0, end: 1, text }], options)
    .trimEnd()
    .split('\n')
    .slice(2);
}
