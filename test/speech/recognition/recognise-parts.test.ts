import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recogniseParts, type WindowPart } from '../../../src/speech/recognition/recognise-parts.ts';
import type { WindowResult } from '../../../src/speech/windows/window-messages.ts';
import { recognisedSegment, recognisedWindow } from '../recognised.ts';

const window: WindowPart = {
  audio: new Float32Array(16_000 * 20),
  speech: [
    { startSeconds: 0, endSeconds: 9 },
    { startSeconds: 10, endSeconds: 20 },
  ],
  language: 'mixed',
};

test('each language of a window is recognised by itself, and its times are those of the window', async () => {
  const asked: [number, string][] = [];
  const parts = await recogniseParts(window, async ({ audio, language }) => {
    asked.push([audio.length / 16_000, language]);
    if (language !== 'mixed') return recognisedAt([0, audio.length / 16_000]);
    return {
      languages: [
        { language: 'zh', startSeconds: 0, endSeconds: 9.5 },
        { language: 'en', startSeconds: 9.5, endSeconds: 20 },
      ],
    };
  });
  assert.deepEqual(asked, [
    [20, 'mixed'],
    [9.5, 'zh-TW'],
    [10.5, 'en-US'],
  ]);
  assert.deepEqual(
    parts.flatMap(({ segments }) =>
      segments.map(({ startSeconds, endSeconds }) => [startSeconds, endSeconds]),
    ),
    [
      [0, 9.5],
      [9.5, 20],
    ],
  );
});

test('what the text leaves out is recognised again, until all of it is covered', async () => {
  const parts = await recogniseParts({ ...window, language: 'en-US' }, async ({ audio }) => {
    return recognisedAt([0, Math.min(6, audio.length / 16_000)]);
  });
  assert.deepEqual(
    parts.flatMap(({ segments }) =>
      segments.map(({ startSeconds, endSeconds }) => [startSeconds, endSeconds]),
    ),
    [
      [0, 6],
      [6, 12],
      [12, 18],
      [18, 20],
    ],
  );
});

for (const { name, firstSeconds, texts } of [
  {
    name: 'that were crowded into no time are not written twice',
    firstSeconds: 0.4,
    texts: ['逐家攏咧等伊'],
  },
  {
    name: 'that had their time are kept both times: somebody says them twice',
    firstSeconds: 2,
    texts: ['逐家攏咧等伊', '逐家攏咧等伊'],
  },
]) {
  test(`words ${name}`, async () => {
    const asked: (boolean | undefined)[] = [];
    const parts = await recogniseParts({ ...window, language: 'nan-TW' }, async ({ audio, words }) => {
      asked.push(words);
      const seconds = audio.length / 16_000;
      // The whole window's text ends at 17 s; the rest of it has 3 s.
      return seconds === 20 ? timed([0, 17], [17 - firstSeconds, 17]) : timed([0, seconds], [0.3, 2.5]);
    });
    assert.deepEqual(asked, [undefined, true]);
    assert.deepEqual(
      parts.flatMap(({ segments }) => segments.map(({ text }) => text)),
      texts,
    );
  });
}

/** One segment, with its words at the times given. */
function timed([startSeconds, endSeconds]: [number, number], [from, to]: [number, number]): WindowResult {
  const text = '逐家攏咧等伊';
  const words = [...text].map((character, index) => ({
    text: character,
    startSeconds: from + (index * (to - from)) / text.length,
    endSeconds: from + ((index + 1) * (to - from)) / text.length,
    probability: 1,
  }));
  return { recognised: recognisedWindow([recognisedSegment({ startSeconds, endSeconds, text, words })]) };
}

test('a window in which nothing is recognised is not tried again', async () => {
  let asked = 0;
  const parts = await recogniseParts(window, async () => {
    asked++;
    return recognisedAt();
  });
  assert.equal(asked, 1);
  assert.deepEqual(parts[0]!.segments, []);
});

function recognisedAt(...times: [number, number][]): WindowResult {
  const segments = times.map(([startSeconds, endSeconds]) => recognisedSegment({ startSeconds, endSeconds }));
  return { recognised: recognisedWindow(segments) };
}
