import assert from 'node:assert/strict';
import { test } from 'node:test';
import { languageRuns } from '../../../../src/speech/inference/languages/language-runs.ts';

const speech = [0, 5, 10, 15].map((start) => ({ startSeconds: start, endSeconds: start + 4 }));
const unknown = Number.NEGATIVE_INFINITY;
const mandarin = { zh: -0.01, en: -6, nan: unknown };
const english = { zh: -8, en: -0.01, nan: unknown };

test('speech in one language is one run over the whole window', () => {
  const runs = languageRuns(speech, [mandarin, mandarin, mandarin, mandarin], 20);
  assert.deepEqual(runs, [{ language: 'zh', startSeconds: 0, endSeconds: 20 }]);
});

test('a window is cut in the silence between languages, and its runs cover all of it', () => {
  const runs = languageRuns(speech, [mandarin, english, english, mandarin], 20);
  assert.deepEqual(runs, [
    { language: 'zh', startSeconds: 0, endSeconds: 4.5 },
    { language: 'en', startSeconds: 4.5, endSeconds: 14.5 },
    { language: 'zh', startSeconds: 14.5, endSeconds: 20 },
  ]);
});

test('one doubtful stretch between sure ones does not change the language', () => {
  const doubtful = { zh: -1.2, en: -0.4, nan: unknown };
  assert.equal(languageRuns(speech, [mandarin, doubtful, mandarin, mandarin], 20).length, 1);
});

test('a word of a fifth of a second says too little to change the language', () => {
  const short = [speech[0]!, { startSeconds: 5, endSeconds: 5.2 }, speech[2]!];
  assert.equal(languageRuns(short, [mandarin, english, mandarin], 15).length, 1);
});

test('three languages are told apart, each in its stretch', () => {
  const evidenceOf = (zh: number, en: number, nan: number) => ({ zh, en, nan });
  const evidence = [
    evidenceOf(-0.1, -9, -3),
    evidenceOf(-4, -9, -0.1),
    evidenceOf(-5, -9, -0.1),
    evidenceOf(-9, -0.1, -7),
  ];
  assert.deepEqual(
    languageRuns(speech, evidence, 20).map(({ language }) => language),
    ['zh', 'nan', 'en'],
  );
});
