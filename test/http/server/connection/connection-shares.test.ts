import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { createNetworkList } from '../../../../src/addresses/networks.ts';
import { createConnectionShares } from '../../../../src/http/server/connection/connection-shares.ts';

function from(remoteAddress: string): Socket {
  return Object.assign(new EventEmitter(), { remoteAddress }) as Socket;
}

test('a /64 of IPv6 has one share, from whichever of its addresses it connects', () => {
  const connections = createConnectionShares({ maxConnections: 12 });
  const admitted = Array.from({ length: 12 }, (_, index) =>
    connections.admit(from(`2001:db8:1:2:${index.toString(16)}::${index + 1}`)),
  );
  assert.equal(admitted.filter(Boolean).length, 3);
  assert.equal(connections.admit(from('2001:db8:1:3::1')), true);
});

test('an IPv4 address is the same in both of its forms', () => {
  const connections = createConnectionShares({ maxConnections: 8 });
  assert.equal(connections.admit(from('192.0.2.1')), true);
  assert.equal(connections.admit(from('::ffff:192.0.2.1')), true);
  assert.equal(connections.admit(from('192.0.2.1')), false);
  assert.equal(connections.admit(from('::ffff:192.0.2.1')), false);
  assert.equal(connections.admit(from('::ffff:192.0.2.2')), true);
});

test('a share is free again when a connection closes, and a proxy may hold all', () => {
  const unlimited = createNetworkList(['10.0.0.0/8']);
  const connections = createConnectionShares({ maxConnections: 4, unlimited });
  const first = from('2001:db8::1');
  assert.equal(connections.admit(first), true);
  assert.equal(connections.admit(from('2001:db8::2')), false);
  first.emit('close');
  assert.equal(connections.admit(from('2001:db8::2')), true);
  for (let count = 0; count < 3; count++) assert.equal(connections.admit(from('10.1.2.3')), true);
  assert.equal(connections.admit(from('10.1.2.3')), false);
});
