import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAgreement } from '../../src/realtime/agreement.ts';

test('what two hypotheses in a row agree on is shown', () => {
  assert.deepEqual(shown(['今天天', '今天天氣很', '今天天氣很好我', '今天天氣很好我們']).slice(1), [
    '今天天',
    '今天天氣很',
    '今天天氣很好我',
  ]);
  assert.deepEqual(shown(['', 'The meet', 'The meeting starts', 'The meeting starts at']).slice(1), [
    '',
    'The',
    'The meeting starts',
  ]);
});

test('what is shown stays until two in a row agree on something else', () => {
  const texts = shown([
    '',
    'it is the fish',
    'it is the fish',
    'Mister',
    'it is a',
    'Mr. Fish is',
    'Mr. Fish is a',
  ]);
  assert.deepEqual(texts.slice(2), [
    'it is the fish',
    'it is the fish',
    'it is the fish',
    'it is the fish',
    'Mr. Fish is',
  ]);
});

test('capitals and punctuation are no disagreement, and the newest are shown, save at the end', () => {
  assert.deepEqual(shown(['', 'so, we go', 'So we go. And']).slice(2), ['So we go']);
  assert.equal(shown(['', '好的，我們', '好的我們走']).at(-1), '好的我們');
});

test('nothing is shown of nothing', () => {
  assert.deepEqual(shown(['', '', '。']), ['', '', '']);
});

function shown(hypotheses: string[]): string[] {
  const agreement = createAgreement();
  return hypotheses.map((hypothesis) => agreement.add(hypothesis));
}
