/** Training counts errors in Python, and everything else in TypeScript: both must count the same. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { score, toUnits } from '../../evaluation/scoring.ts';
import { repetitionStart } from '../../src/speech/text/repetition.ts';

type Counted = {
  /** Plain, and with numbers folded. */
  units: [string[], string[]][];
  /** Errors and units of the reference, plain and with numbers folded. */
  errors: [[number, number], [number, number]][];
  /** Missing where Python has no numpy. */
  loops: boolean[] | null;
};

const sentences = [
  '设定二十九度',
  '設定29度，三点一四。',
  '𪜶老母反對𪜶來往，伊煞來病相思。',
  "It's one hundred and twenty-three o'clock, Mr. Smith: 50 percent!",
  '百分之十五的人在二零二一年一百二十万',
  'The twenty first of May, 1,250 people and a hundred more',
  '想听歌曲hold不住的爱',
];
const numbers = [
  ...[
    '零',
    '〇',
    '一',
    '二',
    '两',
    '兩',
    '三',
    '九',
    '幺',
    '十',
    '百',
    '千',
    '万',
    '萬',
    '亿',
    '億',
    '点',
    '點',
    '百分之',
  ],
  ...[
    'zero',
    'one',
    'two',
    'nine',
    'ten',
    'eleven',
    'nineteen',
    'twenty',
    'ninety',
    'hundred',
    'thousand',
    'million',
  ],
  ...[
    'billion',
    'first',
    'third',
    'twelfth',
    'twentieth',
    'point',
    'and',
    'a',
    'oh',
    'o',
    'percent',
    'per cent',
  ],
  ...['0', '7', '10', '42', '1905', '1,250', '3.14', '21st', '3rd', '5%', '％', '２９'],
];
const others = [
  ...['著', '着', '後', '后', '臺灣', '台湾', '裡', '乾', '干', '𠢕', '𪜶', '媠', '度', '年', '月'],
  ...[
    "don't",
    'Mr.',
    'Mrs',
    'DR',
    'OK',
    'Siann',
    'ＡＢ',
    'café',
    'cafe\u0301',
    'naïve',
    'it’s',
    '-',
    '，',
    '。',
    '…',
    '(',
    '）',
  ],
];
const piece = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...numbers) },
  { weight: 2, arbitrary: fc.constantFrom(...others) },
);
const text = fc
  .array(fc.tuple(piece, fc.constantFrom('', ' ')), { maxLength: 14 })
  .map((pieces) => pieces.flat().join(''));
/** A few tokens, repeated now and then. */
const tokens = fc
  .array(fc.tuple(fc.array(fc.nat(3), { minLength: 1, maxLength: 34 }), fc.integer({ min: 1, max: 8 })), {
    maxLength: 5,
  })
  .map((runs) => runs.flatMap(([unit, copies]) => Array.from({ length: copies }, () => unit).flat()));

const seed = 20;
const cases = {
  texts: [...sentences, ...fc.sample(text, { seed, numRuns: 3_000 })],
  pairs: fc.sample(fc.tuple(text, text), { seed, numRuns: 1_000 }),
  tokens: fc.sample(tokens, { seed, numRuns: 1_000 }),
};
const python = ['python3', '/usr/bin/python3'].find(
  (program) => spawnSync(program, ['-c', 'import dataclasses']).status === 0,
);

describe('Python counts as TypeScript does', {
  skip: !python && 'SCORING IN PYTHON IS NOT TESTED HERE: no python3.',
}, () => {
  let counted: Counted;
  before(() => {
    const program = fileURLToPath(new URL('./fixtures/count_errors.py', import.meta.url));
    const input = JSON.stringify(cases);
    const run = spawnSync(python!, [program], { input, encoding: 'utf8', maxBuffer: 1 << 27 });
    assert.equal(run.status, 0, run.stderr);
    counted = JSON.parse(run.stdout);
  });

  it('the units of a text, plain and with its numbers folded', () => {
    for (const [index, sentence] of cases.texts.entries()) {
      const expected = [toUnits(sentence), toUnits(sentence, { numbersFolded: true })];
      assert.deepEqual(counted.units[index], expected, sentence);
    }
  });

  it('the errors between two texts', () => {
    for (const [index, [reference, hypothesis]] of cases.pairs.entries()) {
      const expected = [false, true].map((numbersFolded) => {
        const { units, substitutions, deletions, insertions } = score(reference, hypothesis, {
          numbersFolded,
        });
        return [substitutions + deletions + insertions, units];
      });
      assert.deepEqual(counted.errors[index], expected, `${reference} | ${hypothesis}`);
    }
  });

  it('the texts that loop', (context) => {
    if (!counted.loops) return context.skip('LOOPS ARE NOT COMPARED HERE: python3 has no numpy.');
    const expected = cases.tokens.map((all) =>
      all.some((_, end) => repetitionStart(all.slice(0, end + 1)) !== undefined),
    );
    assert.deepEqual(counted.loops, expected);
    assert(expected.includes(true) && expected.includes(false));
  });
});
