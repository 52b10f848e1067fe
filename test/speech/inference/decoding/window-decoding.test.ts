import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTokenRules } from '../../../../src/speech/inference/decoding/token-rules.ts';
import {
  type Attempt,
  WindowDecoding,
  type WindowDecodingOptions,
} from '../../../../src/speech/inference/decoding/window-decoding.ts';
import { end, letters, row, smallVocabulary, time } from '../../small-vocabulary.ts';

const rules = createTokenRules(smallVocabulary);
const sentence = [time(0), ...letters('thequickbrownfox'), time(4), end];

test('a good text is taken at the first try', () => {
  const { attempt, tries } = decode({}, () => sentence);
  assert.equal(tries, 1);
  assert.deepEqual(attempt.tokens, sentence.slice(0, -1));
  assert.equal(attempt.logProbabilities.length, attempt.tokens.length);
  assert.deepEqual([attempt.temperature, attempt.looped], [0, false]);
});

test('the average counts the end too', () => {
  const { attempt } = decode({}, () => sentence, 0.5);
  assert(Math.abs(attempt.averageLogProbability - Math.log(0.5)) < 1e-6);
});

test('a text that goes round in circles is cut at its second round and tried again, warmer', () => {
  const looping = [time(0), ...letters('ab'), ...new Array(30).fill(letters('cdefg')).flat()];
  const { attempt, tries, fed } = decode({}, (index) => (index === 0 ? looping : sentence));
  assert.equal(tries, 2);
  assert.equal(attempt.temperature, 0.2);
  assert.deepEqual(attempt.tokens, sentence.slice(0, -1));
  assert(fed[0]! < 30, 'the loop is noticed long before the token limit');
});

test('when every try loops, the likeliest is kept up to its second round', () => {
  const looping = [time(0), ...letters('ab'), ...new Array(50).fill(letters('cdefg')).flat()];
  const { attempt, tries } = decode({}, () => looping);
  assert.equal(tries, 6);
  assert(attempt.looped);
  assert.deepEqual(attempt.tokens, [time(0), ...letters('abcdefg')]);
});

test('an unlikely text is tried again up to a temperature of 1, and the likeliest try is kept', () => {
  const { attempt, tries } = decode(
    {},
    () => sentence,
    (index) => (index === 3 ? 0.3 : 0.2),
  );
  assert.equal(tries, 6);
  assert.equal(attempt.temperature, 0.6);
});

test('a text that compresses too well is tried again', () => {
  const monotone = [time(0), ...letters('abcdefghijklmnop'.repeat(2)), ...letters('abcdefghijklmno')];
  const long = [
    ...monotone,
    ...letters('qr'),
    ...monotone.slice(1),
    ...letters('st'),
    ...monotone.slice(1),
    time(9),
    end,
  ];
  const { attempt, tries } = decode({}, (index) => (index === 0 ? long : sentence));
  assert.equal(tries, 2);
  assert.deepEqual(attempt.tokens, sentence.slice(0, -1));
});

test('a likely text that loops, cut at its second round, is better than a whole one that is unlikely', () => {
  const looping = [time(0), ...new Array(50).fill(letters('cdefg')).flat()];
  const { attempt } = decode(
    {},
    (index) => (index === 2 ? sentence : looping),
    (index) => (index === 2 ? 0.02 : 0.9),
  );
  assert.deepEqual(attempt.tokens, [time(0), ...letters('cdefg')]);
});

test('a sentence that is said again and again, each time at its own time, is no loop', () => {
  const rounds = [0, 2, 4, 6].map((start) => [time(start), ...letters('bringthefolder'), time(start + 1.6)]);
  const { attempt, tries } = decode({}, () => [...rounds.flat(), end]);
  assert.equal(tries, 1);
  assert.deepEqual(attempt.tokens, rounds.flat());
});

test('an unlikely text in a window without speech is not tried again', () => {
  assert.equal(decode({ noSpeechProbability: 0.7 }, () => sentence, 0.2).tries, 1);
});

test('a text stops at 224 tokens', () => {
  const long = [time(0), ...letters('abcdefghijklmnopqrstuvwx'), ...unrepeated(400)];
  const { fed } = decode({}, () => long);
  assert.equal(fed[0], 224);
});

test('a first temperature above 0 begins there', () => {
  const { attempt, tries } = decode({ firstTemperature: 0.5 }, () => sentence, 0.05);
  assert.equal(tries, 4); // 0.5, 0.6, 0.8, 1
  assert(attempt.temperature >= 0.5);
});

test('the same seed draws the same text, another seed another', () => {
  const draw = (seed: number) => {
    const decoding = new WindowDecoding(options({ seed, firstTemperature: 1 }));
    const tokens: number[] = [];
    for (let i = 0; i < 40; i++) {
      const likely =
        i === 0
          ? [[time(0), 1] as const]
          : letters('abcdefghijklmnop').map((each) => [each, 1 / 16] as const);
      const answer = decoding.accept(row(likely));
      if (!('next' in answer)) break;
      tokens.push(answer.next);
    }
    return tokens.join();
  };
  assert.equal(draw(1), draw(1));
  assert.notEqual(draw(1), draw(2));
});

function options(given: Partial<WindowDecodingOptions>): WindowDecodingOptions {
  return { vocabulary: smallVocabulary, rules, audioSeconds: 10, noSpeechProbability: 0, seed: 1, ...given };
}

/** Decodes with a network that wants to write `script(try)`, each token with this probability. */
function decode(
  given: Partial<WindowDecodingOptions>,
  script: (attempt: number) => number[],
  probability: number | ((attempt: number) => number) = 0.95,
): { attempt: Attempt; tries: number; fed: number[] } {
  const decoding = new WindowDecoding(options(given));
  const fed = [0];
  for (;;) {
    const attempt = fed.length - 1;
    const likely = typeof probability === 'number' ? probability : probability(attempt);
    const answer = decoding.accept(row([[script(attempt)[fed[attempt]!++] ?? end, likely]]));
    if ('done' in answer) return { attempt: answer.done, tries: fed.length, fed };
    if ('restart' in answer) fed.push(0);
  }
}

/** Letters in an order without loops. */
function unrepeated(count: number): number[] {
  let state = 5;
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 16) % 24;
  });
}
