import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAddressCheck, parseAllowList } from '../../../src/accounts/keys/allow-list.ts';

test('networks are kept in one form, each once', () => {
  assert.deepEqual(
    parseAllowList([
      ' 10.0.0.0/8 ',
      '192.0.2.1',
      '2001:db8::/32',
      '::1',
      '::ffff:198.51.100.0/120',
      '192.0.2.1/32',
    ]),
    ['10.0.0.0/8', '192.0.2.1/32', '2001:db8::/32', '::1/128', '198.51.100.0/24'],
  );
});

test('what is no network is refused with the text as it was given', () => {
  for (const text of [
    '',
    'x',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/',
    '10.0.0/8',
    '::1/129',
    '::ffff:1.2.3.4/95',
    '1.2.3.4/8/8',
    'fe80::1%eth0',
    'example.org',
  ])
    assert.throws(() => parseAllowList([text]), { code: 'invalid_value', param: 'allow' }, text);
});

test('an address is in the list in whatever form it comes', () => {
  const allows = createAddressCheck(['10.0.0.0/8', '2001:db8::/32', '198.51.100.7/32']);
  for (const address of [
    '10.255.0.1',
    '::ffff:10.0.0.1',
    '::FFFF:10.0.0.1',
    '0:0:0:0:0:ffff:10.0.0.1',
    '2001:db8:ffff::1',
    '2001:0DB8::1%en0',
    '198.51.100.7',
  ])
    assert.equal(allows(address), true, address);
  for (const address of [
    '11.0.0.1',
    '::ffff:11.0.0.1',
    '2001:db9::1',
    '::10.0.0.1',
    '198.51.100.8',
    '',
    'localhost',
    '10.0.0.1 ',
  ])
    assert.equal(allows(address), false, address);
});

test('an empty list lets everyone in', () => {
  assert.equal(createAddressCheck([])('203.0.113.9'), true);
});
