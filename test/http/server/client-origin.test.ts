import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { createClientOrigin } from '../../../src/http/server/client-origin.ts';

const behindProxy = createClientOrigin({ tls: 'proxy', trustedProxies: ['10.0.0.0/8', '::1'] });

function from(peer: string, forwardedFor?: string, proto?: string): IncomingMessage {
  const headers = { 'x-forwarded-for': forwardedFor, 'x-forwarded-proto': proto };
  return { socket: { remoteAddress: peer }, headers } as unknown as IncomingMessage;
}

test('without a proxy the peer is the client, whatever the headers say', () => {
  const direct = createClientOrigin({ tls: 'on', trustedProxies: ['0.0.0.0/0'] });
  assert.deepEqual(direct(from('203.0.113.7', '1.1.1.1', 'http')), { address: '203.0.113.7', secure: true });
});

test('a trusted proxy is believed about the client and the scheme', () => {
  assert.deepEqual(behindProxy(from('10.1.2.3', '203.0.113.7', 'https')), {
    address: '203.0.113.7',
    secure: true,
  });
  assert.equal(behindProxy(from('::1', '2001:db8::7', 'HTTPS')).address, '2001:db8::7');
  assert.equal(behindProxy(from('::ffff:10.1.2.3', '203.0.113.7', 'https')).secure, true);
});

test('nobody else is', () => {
  assert.deepEqual(behindProxy(from('203.0.113.9', '10.0.0.1', 'https')), {
    address: '203.0.113.9',
    secure: false,
  });
});

test('what a client wrote in front of the chain does not count', () => {
  assert.equal(
    behindProxy(from('10.1.2.3', '6.6.6.6, 203.0.113.7, 10.9.9.9', 'https')).address,
    '203.0.113.7',
  );
  assert.equal(behindProxy(from('10.1.2.3', '203.0.113.7', 'https, http')).secure, false);
  assert.equal(behindProxy(from('10.1.2.3', '203.0.113.7')).secure, false);
});

test('a client about whom the proxy says nothing has no address, and not the proxy’s', () => {
  assert.equal(behindProxy(from('10.1.2.3', '203.0.113.7, hidden', 'https')).address, 'unknown');
  assert.equal(behindProxy(from('10.1.2.3', undefined, 'https')).address, 'unknown');
  assert.equal(behindProxy(from('10.1.2.3')).address, '10.1.2.3');
});
