import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAgreement } from '../../../src/speech/live/agreement.ts';

test('what three hypotheses in a row agree on is shown, except the last words, which may be spoken only in part', () => {
  const chinese = shown(['', '今天天氣很', '今天天氣很好', '今天天氣很好我們走', '今天天氣很好我們走吧']);
  assert.deepEqual(chinese, ['', '', '', '今天天氣很', '今天天氣很好']);
  const english = shown([
    '',
    'The meet',
    'The meeting starts at',
    'The meeting starts at nine',
    'The meeting starts at nine today',
  ]);
  assert.deepEqual(english, ['', '', '', 'The', 'The meeting starts at']);
});

test('of the first hypothesis more is shown when it is sure of itself', () => {
  assert.equal(createAgreement().add('今天天', -0.5), '今天');
  assert.equal(createAgreement().add('今天天', -1.7), '今');
  assert.equal(createAgreement().add('今', -0.5), '');
});

test('what is shown stays until three in a row agree on something else', () => {
  const fish = 'it is the fish of day';
  const other = 'Mr. Fish is so and so';
  const texts = shown(['', fish, fish, fish, 'Mister', 'it is a', other, other, other]);
  assert.deepEqual(texts.slice(3), [...Array(5).fill('it is the fish'), 'Mr. Fish is so']);
});

test('capitals and punctuation are no disagreement, and the newest are shown, save at the end', () => {
  assert.equal(shown(['', 'so, we go', 'So we go.', 'So we go. And then']).at(-1), 'So we go');
  assert.equal(shown(['', '好的，我們', '好的我們，', '好的我們走吧']).at(-1), '好的我們');
});

test('nothing is shown of nothing', () => {
  assert.deepEqual(shown(['', '', '。']), ['', '', '']);
});

function shown(hypotheses: string[]): string[] {
  const agreement = createAgreement();
  return hypotheses.map((hypothesis) => agreement.add(hypothesis, -1));
}
