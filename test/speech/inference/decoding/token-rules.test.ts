import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createTokenRules } from '../../../../src/speech/inference/decoding/token-rules.ts';
import { end, letter, letters, row, smallVocabulary, time, vocabularySize } from '../../small-vocabulary.ts';

const rules = createTokenRules(smallVocabulary);
const a = letter('a');
const some = letters('hello');

/** The token chosen after `tokens` when these are likely, in this order. */
function choose(likely: number[], tokens: number[], audioSeconds = 10): number {
  const weights = likely.map((token, index) => [token, 0.5 ** (index + 1)] as const);
  return rules.choose(row(weights), tokens, { audioSeconds, temperature: 0, random: Math.random }).token;
}

test('a text begins with a timestamp, not with text and not with its end', () => {
  assert.equal(choose([a, end, time(0.4)], []), time(0.4));
});

test('the first words begin within a second, and within the audio', () => {
  assert.equal(choose([time(1.02), time(1)], []), time(1));
  assert.equal(choose([time(0.62), time(0.6)], [], 0.6), time(0.6));
});

test('what opens is followed by text: no second timestamp, and no end before any text', () => {
  assert.equal(choose([time(0.2), end, a], [time(0.2)]), a);
});

test('text that has begun goes on with text, or closes with a timestamp after its start', () => {
  const tokens = [time(2), ...some];
  assert.equal(choose([a], tokens), a);
  assert.equal(choose([time(1.98), time(2), time(2.02)], tokens), time(2.02));
});

test('no timestamp lies beyond the audio', () => {
  assert.equal(choose([time(10.02), time(10)], [time(0), ...some]), time(10));
});

test('what is closed is followed by a start, at the same time or later, or by the end: not by text', () => {
  const tokens = [time(0), ...some, time(4)];
  assert.equal(choose([a, time(3.98), time(4)], tokens), time(4));
  assert.equal(choose([a, end], tokens), end);
});

test('after a new start comes text or the end, not a timestamp', () => {
  const tokens = [time(0), ...some, time(4), time(4.2)];
  assert.equal(choose([time(5), a], tokens), a);
  assert.equal(choose([time(5), end, a], tokens), end);
});

test('a close within 0.3 s of the end of the audio ends the text, whatever is likely', () => {
  assert.equal(choose([time(9.8), a], [time(0), ...some, time(9.7)]), end);
  assert.equal(choose([time(9.68), a], [time(0), ...some, time(9.66)]), time(9.68));
});

test('a new start near the end of the audio still gets its text', () => {
  assert.equal(choose([a], [time(0), ...some, time(9.6), time(9.8)]), a);
});

test('timestamps that together are likelier than any word are chosen, the likeliest of them', () => {
  const tokens = [time(0), ...some];
  const options = { audioSeconds: 10, temperature: 0, random: Math.random };
  const times = [3, 3.02, 3.04].map((seconds, i) => [time(seconds), i === 1 ? 0.15 : 0.12] as const);
  assert.equal(rules.choose(row([[a, 0.35], ...times]), tokens, options).token, time(3.02));
  assert.equal(rules.choose(row([[a, 0.45], ...times]), tokens, options).token, a);
});

test('timestamps too early to be allowed do not count', () => {
  const likely = row([
    [a, 0.3],
    [time(1), 0.6],
    [time(5), 0.1],
  ]);
  const options = { audioSeconds: 10, temperature: 0, random: Math.random };
  assert.equal(rules.choose(likely, [time(4), ...some], options).token, a);
});

test('tokens that are no speech are never chosen, and some not at the start', () => {
  assert.equal(choose([letter('y'), a], [time(0)]), a);
  assert.equal(choose([smallVocabulary.noTimestamps, a], [time(0), ...some]), a);
  assert.equal(choose([letter('z'), a], [time(0), ...some]), letter('z'));
});

test('control tokens are never chosen', () => {
  assert.equal(choose([smallVocabulary.transcribe, smallVocabulary.languages.zh, a], [time(0), ...some]), a);
});

test('the log-probability is that of the token chosen', () => {
  const likely = row([[a, 0.25]]);
  const options = { audioSeconds: 10, temperature: 0, random: Math.random };
  const { logProbability } = rules.choose(likely, [time(0)], options);
  assert(Math.abs(logProbability - Math.log(0.25)) < 1e-6);
});

test('a warm choice draws tokens as often as they are likely, and the warmer, the more evenly', () => {
  const shareOfA = (temperature: number) => {
    let count = 0;
    for (let i = 0; i < 1000; i++) {
      const likely = row([
        [a, 0.8],
        [letter('b'), 0.2],
      ]);
      const random = () => (i + 0.5) / 1000;
      const options = { audioSeconds: 10, temperature, random };
      if (rules.choose(likely, [time(0)], options).token === a) count++;
    }
    return count / 1000;
  };
  assert(Math.abs(shareOfA(1) - 0.8) < 0.002);
  assert(Math.abs(shareOfA(0.5) - 16 / 17) < 0.002); // 0.8² against 0.2²
});

test('whatever is likely and however warm, times go forward, stay in the audio, and stand in pairs', () => {
  const steps = fc.record({
    likely: fc.array(
      fc.tuple(
        fc.integer({ min: 0, max: vocabularySize - 1 }),
        fc.double({ min: 0.01, max: 1, noNaN: true }),
      ),
      { maxLength: 8 },
    ),
    random: fc.double({ min: 0, max: 0.999999, noNaN: true }),
  });
  const texts = fc.record({
    steps: fc.array(steps, { maxLength: 30 }),
    audioSeconds: fc.double({ min: 0.1, max: 30, noNaN: true }),
    temperature: fc.constantFrom(0, 0.4, 1),
  });
  fc.assert(
    fc.property(texts, ({ steps: all, audioSeconds, temperature }) => {
      const tokens: number[] = [];
      for (const { likely, random } of all) {
        const options = { audioSeconds, temperature, random: () => random };
        const { token } = rules.choose(row(likely), tokens, options);
        if (token === end) break;
        tokens.push(token);
      }
      const times = tokens.filter((token) => token >= time(0));
      assert.deepEqual(
        times,
        times.toSorted((x, y) => x - y),
      );
      assert(times.every((token) => (token - time(0)) * 0.02 < audioSeconds + 0.02));
      assert(tokens.length === 0 || tokens[0]! >= time(0));
      // start text close, start text close …: three times never follow one another.
      const kinds = tokens.map((token) => (token >= time(0) ? 't' : 'x')).join('');
      assert.match(kinds, /^(tx+t)*(t?x*)$/);
    }),
  );
});
