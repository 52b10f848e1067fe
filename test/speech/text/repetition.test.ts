import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compressionRatio, repetitionStart } from '../../../src/speech/text/repetition.ts';

test('the compression ratio is that of zlib over UTF-8', () => {
  // Reference: Python's len(b) / len(zlib.compress(b)); zlib builds differ by a few bytes, hence 5 %.
  const references: [string, number][] = [
    ['The quick brown fox jumps over the lazy dog.', 0.863],
    ['今天天氣很好，我們一起去公園走走，晚上再回家吃飯。', 0.893],
    ['謝謝'.repeat(60), 22.5],
  ];
  for (const [text, expected] of references) {
    assert.ok(Math.abs(compressionRatio(text) / expected - 1) < 0.05);
  }
  assert.equal(compressionRatio(''), 0);
});

test('what people repeat in speech is not a loop', () => {
  assert.equal(repetitionStart([7, 7, 7, 7, 7]), undefined); // 哈哈哈哈哈
  assert.equal(repetitionStart([1, 2, 1, 2, 1, 2, 1, 2, 1, 2]), undefined); // 謝謝 ×5
  assert.equal(repetitionStart([1, 2, 3, 1, 2, 3, 1, 2, 3]), undefined);
  assert.equal(repetitionStart([1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6]), undefined);
  assert.equal(repetitionStart([]), undefined);
});

test('a loop is cut after its first copy', () => {
  assert.equal(repetitionStart([9, 8, 7, 7, 7, 7, 7, 7]), 3);
  assert.equal(repetitionStart([9, ...repeat([1, 2], 6)]), 3);
  assert.equal(repetitionStart([9, ...repeat([1, 2, 3], 4)]), 4);
  assert.equal(repetitionStart([9, ...repeat([1, 2, 3, 4, 5, 6, 7], 3)]), 8);
});

test('a loop that ran on unseen is still cut after its first copy', () => {
  assert.equal(repetitionStart([9, ...repeat([1, 2, 3], 40)]), 4);
});

test('any unit repeated often enough is found, and cutting there keeps what came before and one copy', () => {
  const unit = fc.uniqueArray(fc.nat(50_000), { minLength: 1, maxLength: 30 });
  const before = fc.array(fc.integer({ min: 60_000, max: 99_999 }), { maxLength: 50 });
  fc.assert(
    fc.property(before, unit, fc.integer({ min: 6, max: 12 }), (head, period, copies) => {
      assert.equal(repetitionStart([...head, ...repeat(period, copies)]), head.length + period.length);
    }),
  );
});

test('tokens that are all different never loop, and the cut is always inside the sequence', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(50_000), { maxLength: 200 }), (tokens) => {
      assert.equal(repetitionStart(tokens), undefined);
    }),
  );
  fc.assert(
    fc.property(fc.array(fc.nat(2), { maxLength: 60 }), (tokens) => {
      const cut = repetitionStart(tokens);
      assert.ok(cut === undefined || (cut > 0 && cut < tokens.length));
    }),
  );
});

function repeat(unit: readonly number[], copies: number): number[] {
  return Array.from({ length: copies }, () => unit).flat();
}
