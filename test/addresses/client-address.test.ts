import assert from 'node:assert/strict';
import { test } from 'node:test';
import { normaliseAddress, parseForwardedAddress, senderOf } from '../../src/addresses/client-address.ts';

test('only a mapped address is taken for IPv4', () => {
  assert.equal(normaliseAddress('::ffff:192.0.2.1'), '192.0.2.1');
  assert.equal(normaliseAddress('0:0:0:0:0:FFFF:192.0.2.1'), '192.0.2.1');
  assert.equal(normaliseAddress('::ffff:999.0.2.1'), '::ffff:999.0.2.1');
  assert.equal(normaliseAddress('2001:db8::ffff:192.0.2.1'), '2001:db8::ffff:192.0.2.1');
});

test('a zone is left out, and what is no address stays as it is', () => {
  assert.equal(normaliseAddress('fe80::1%eth0'), 'fe80::1');
  for (const text of ['', 'localhost', '192.0.2.1:80']) assert.equal(normaliseAddress(text), text);
});

test('addresses that a proxy names are read with ports and brackets', () => {
  assert.equal(parseForwardedAddress('1.2.3.4:567'), '1.2.3.4');
  assert.equal(parseForwardedAddress('[2001:db8::1]:443'), '2001:db8::1');
  assert.equal(parseForwardedAddress('[::ffff:1.2.3.4]'), '1.2.3.4');
  assert.equal(parseForwardedAddress('::ffff:1.2.3.4'), '1.2.3.4');
  assert.equal(parseForwardedAddress('2001:db8::1'), '2001:db8::1');
});

test('addresses of one IPv6 network are one sender, and so is one address however it is written', () => {
  const senders = (...addresses: string[]) => new Set(addresses.map(senderOf)).size;
  assert.equal(
    senders('2001:db8:1:2::1', '2001:DB8:1:2:a:b:c:d', '2001:0db8:1:2::', '2001:db8:1:2::7%en0'),
    1,
  );
  assert.equal(senders('192.0.2.1', '::ffff:192.0.2.1', '::FFFF:192.0.2.1'), 1);
  assert.equal(senders('2001:db8:1:1::1', '2001:db8:1:2::1', '192.0.2.1', '192.0.2.2'), 4);
});
