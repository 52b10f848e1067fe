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
