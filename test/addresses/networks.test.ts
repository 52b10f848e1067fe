import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createNetworkList, parseNetwork } from '../../src/addresses/networks.ts';

test('a network is read with its length, or as a single address', () => {
  assert.deepEqual(parseNetwork(' 10.0.0.0/8 '), { address: '10.0.0.0', bits: 8, family: 'ipv4' });
  assert.deepEqual(parseNetwork('::1'), { address: '::1', bits: 128, family: 'ipv6' });
  assert.deepEqual(parseNetwork('::ffff:198.51.100.0/120'), {
    address: '198.51.100.0',
    bits: 24,
    family: 'ipv4',
  });
});

test('what is no network is none', () => {
  for (const text of [
    '',
    'x',
    '10.0.0.0/33',
    '10.0.0.0/',
    '::1/129',
    '::ffff:1.2.3.4/95',
    '1.2.3.4/8/8',
    'fe80::1%eth0',
  ])
    assert.equal(parseNetwork(text), undefined, text);
  assert.throws(() => createNetworkList(['example.org']), /"example.org" is not a network/);
});

test('networks hold what lies in them, in whatever form it comes, and nothing that is no address', () => {
  const list = createNetworkList(['192.0.2.0/24', '198.51.100.7', '2001:db8::/32']);
  for (const address of [
    '192.0.2.255',
    '::ffff:192.0.2.1',
    '198.51.100.7',
    '2001:db8:1::1',
    '2001:db8::1%en0',
  ])
    assert.ok(list.includes(address), address);
  for (const address of ['192.0.3.0', '198.51.100.8', '2001:db9::1', '', 'localhost', '192.0.2.1 '])
    assert.ok(!list.includes(address), address);
});
