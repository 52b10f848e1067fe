import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApiKey, keyInHeader, randomText } from '../../../src/accounts/keys/api-key.ts';

test('keys have the form of the contract, and no two are alike', () => {
  const keys = Array.from({ length: 1000 }, () => createApiKey('test').key);
  for (const key of keys) assert.match(key, /^sk_test_[A-Za-z0-9]{32}$/);
  assert.equal(new Set(keys).size, 1000);
  assert.match(createApiKey('live').key, /^sk_live_/);
});

test('every letter and digit is as likely as any other', () => {
  const length = 620_000;
  const counts = new Map<string, number>();
  for (const character of randomText(length)) counts.set(character, (counts.get(character) ?? 0) + 1);
  assert.equal(counts.size, 62);
  // 10,000 of each are expected, with a standard deviation of 99; modulo bias would make eight of them 12,000.
  for (const [character, count] of counts)
    assert.ok(Math.abs(count - length / 62) < 700, `${character}: ${count}`);
});

test('a key is found in a header only when the header has nothing else', () => {
  const key = `sk_test_${'aB3'.repeat(10)}xy`;
  for (const header of [`Bearer ${key}`, `bearer ${key}`, `BEARER  ${key}`])
    assert.equal(keyInHeader(header), key);
  for (const header of [
    undefined,
    '',
    key,
    `Bearer${key}`,
    `Bearer ${key}x`,
    `Bearer ${key}\n`,
    `Bearer x${key}`,
    `Basic ${key}`,
    `Bearer ${key.replace('sk_test', 'SK_TEST')}`,
  ])
    assert.equal(keyInHeader(header), undefined, header);
});
