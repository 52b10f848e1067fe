import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { doubledClauses } from '../../evaluation/doubled-clauses.ts';

test('a clause that stands twice in a row and was said once is doubled', () => {
  const said = '春天的花園內底，蝴蝶佇花叢飛來飛去。';
  assert.equal(doubledClauses(said, said), 0);
  assert.equal(doubledClauses(said, `${said}蝴蝶佇花叢飛來飛去。`), 1);
  assert.equal(doubledClauses('we will meet on Monday', 'We will meet on Monday. Will meet on Monday.'), 1);
});

test('the second copy may be written a little differently', () => {
  const said = '春天的花園內底，蝴蝶佇花叢飛來飛去。';
  assert.equal(doubledClauses(said, `${said}蝴蝶佇花欉飛來飛去。`), 1);
  assert.equal(doubledClauses(said, `${said}蝴蝶花叢飛來飛去。`), 1);
  assert.equal(doubledClauses(said, `${said}伊講明仔載欲閣來看。`), 0);
});

test('a speaker who says a clause twice is not counted', () => {
  const said = '緊轉來食飯，緊轉來食飯，菜攏冷去矣。';
  assert.equal(doubledClauses(said, said), 0);
  assert.equal(doubledClauses(said, `${said}菜攏冷去矣。`), 1);
});

test('short repetitions are how people speak', () => {
  assert.equal(doubledClauses('好', '好好好好'), 0);
  assert.equal(doubledClauses('no', 'no, no, no, no, no'), 0);
  assert.equal(doubledClauses('看覓', '看覓看覓'), 0);
});

test('whatever is said, a copy of its end counts once, and the text itself never', () => {
  const units = fc.uniqueArray(fc.integer({ min: 0x4e00, max: 0x5fff }), { minLength: 4, maxLength: 40 });
  fc.assert(
    fc.property(units, fc.integer({ min: 4, max: 40 }), (codes, length) => {
      const said = codes.map((code) => String.fromCodePoint(code));
      const end = said.slice(-Math.min(length, said.length));
      assert.equal(doubledClauses(said.join(''), said.join('')), 0);
      assert.equal(doubledClauses(said.join(''), [...said, ...end].join('')), 1);
    }),
    { seed: 22 },
  );
});
