import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceUrl } from '../../src/addresses/service-url.ts';

test('an address to listen on becomes one to call', () => {
  assert.equal(serviceUrl({ host: '0.0.0.0', port: 8443, tls: true }), 'https://localhost:8443');
  assert.equal(serviceUrl({ host: '::', port: 8443, tls: false }), 'http://localhost:8443');
  assert.equal(serviceUrl({ host: '2001:db8::1', port: 1, tls: true }), 'https://[2001:db8::1]:1');
  assert.equal(serviceUrl({ host: 'stt.example.org', port: 443, tls: true }), 'https://stt.example.org:443');
});
