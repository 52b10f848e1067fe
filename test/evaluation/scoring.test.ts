import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addScores, alignUnits, errorRate, score, toUnits } from '../../evaluation/scoring.ts';

const folded = { numbersFolded: true };

test('Han characters and Latin words are the units', () => {
  assert.deepEqual(toUnits('买Apple Watch的，別'), ['买', 'apple', 'watch', '的', '别']);
  assert.deepEqual(toUnits('伊誠𠢕。'), ['伊', '诚', '𠢕']);
});

test('punctuation of any width and apostrophes inside words do not count', () => {
  assert.deepEqual(toUnits("\uFEFF“Don’t…” she said—don't！（ＯＫ）"), ['dont', 'she', 'said', 'dont', 'ok']);
});

test('Traditional and Simplified are the same', () => {
  assert.equal(errorRate(score('還看著那個後來的臺灣', '还看着那个后来的台湾')), 0);
});

test('the kinds of error are counted apart', () => {
  assert.deepEqual(score('a b c d', 'a x c'), { units: 4, substitutions: 1, deletions: 1, insertions: 0 });
  assert.deepEqual(score('今天', '今天好'), { units: 2, substitutions: 0, deletions: 0, insertions: 1 });
  assert.deepEqual(score('', 'noise'), { units: 0, substitutions: 0, deletions: 0, insertions: 1 });
});

test('a total weighs every unit the same', () => {
  const total = addScores([score('a b c', 'a b c'), score('d', 'x')]);
  assert.equal(errorRate(total), 0.25);
});

test('an alignment explains the lengths and costs no more than replacing everything', () => {
  const units = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 });
  fc.assert(
    fc.property(units, units, (reference, hypothesis) => {
      const { substitutions, deletions, insertions } = alignUnits(reference, hypothesis);
      assert.equal(reference.length - deletions + insertions, hypothesis.length);
      assert.ok(substitutions + deletions + insertions <= Math.max(reference.length, hypothesis.length));
      assert.equal(errorRate(alignUnits(reference, reference)), 0);
    }),
  );
});

const sameNumbers: [string, string][] = [
  ['twenty one', '21'],
  ['Twenty-one dogs', '21 dogs'],
  ['the twenty first of may', 'the 21st of May'],
  ['one hundred and five', '105'],
  ['a hundred', '100'],
  ['one hundred twenty three thousand four hundred', '123,400'],
  ['two point five million', '2.5 million'],
  ['three million', '3,000,000'],
  ['nineteen oh five', '1905'],
  ['nineteen eighty four', '1984'],
  ['twenty twenty', '2020'],
  ['two thousand and five', '2005'],
  ['nineteen hundred', '1900'],
  ['five percent', '5%'],
  ['five per cent', '5 %'],
  ['mister smith and doctor jones okay', 'Mr. Smith and Dr. Jones, OK'],
  ['oh oh seven', 'oh oh 7'],
  ['六二幺九零四八六', '6219048-6'],
  ['一百二十三', '123'],
  ['一百零二', '102'],
  ['一百二', '120'],
  ['二零零五年', '2005年'],
  ['二〇〇五年', '2005年'],
  ['两千零五', '2005'],
  ['十一比八', '11比8'],
  ['三四十', '3 40'],
  ['三十四十', '30 40'],
  ['三十四万', '34万'],
  ['三十四萬', '340,000'],
  ['三千五百万', '3500万'],
  ['一亿二千万', '1亿2000万'],
  ['一点五亿', '1.5亿'],
  ['十二点五', '12.5'],
  ['百分之五', '5%'],
  ['百分之十二点五', '12.5％'],
  ['百分之百', '100%'],
  ['下午三点五十', '下午3点50'],
  ['很多二三四线城市', '很多2 3 4线城市'],
  ['万一', '万1'],
];

for (const [words, digits] of sameNumbers) {
  test(`"${words}" and "${digits}" are the same number`, () => {
    assert.deepEqual(toUnits(words, folded), toUnits(digits, folded));
  });
}

test('numbers stay as they are written unless they are folded', () => {
  assert.deepEqual(toUnits('twenty one'), ['twenty', 'one']);
  assert.deepEqual(toUnits('二十3.5'), ['二', '十', '3', '5']);
});

test('different numbers stay different', () => {
  assert.notDeepEqual(toUnits('一百二十', folded), toUnits('一百零二', folded));
  assert.notDeepEqual(toUnits('first', folded), toUnits('one', folded));
  assert.deepEqual(toUnits('oh my constructor', folded), ['oh', 'my', 'constructor']);
  assert.deepEqual(toUnits('007', folded), ['0', '0', '7']);
});
