import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startService } from '../../support/service.ts';

const preflight = {
  origin: 'https://app.example',
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'authorization,x-stainless-lang',
};

test('pages of the origins named may call, and are told what they may read', async () => {
  await using running = await startService({ env: { SIANN_CORS_ORIGINS: 'https://app.example' } });
  const asked = await running.fetch('/v1/audio/transcriptions', { method: 'OPTIONS', headers: preflight });
  assert.equal(asked.status, 204);
  assert.equal(asked.headers['access-control-allow-origin'], 'https://app.example');
  assert.equal(asked.headers['access-control-allow-headers'], 'authorization,x-stainless-lang');
  assert.match(String(asked.headers['access-control-allow-methods']), /POST/);

  const refused = { ...preflight, authorization: 'Bearer no' };
  for (const headers of [{ origin: preflight.origin }, refused]) {
    const answer = await running.fetch('/v1/account', { headers });
    assert.equal(answer.headers['access-control-allow-origin'], 'https://app.example');
    assert.match(String(answer.headers['access-control-expose-headers']), /x-request-id/);
    assert.equal(answer.headers.vary, 'Origin');
  }
  const other = await running.fetch('/v1/account', { headers: { origin: 'https://evil.example' } });
  assert.equal(other.headers['access-control-allow-origin'], undefined);
});

test('by default no page may, and * is every page', async () => {
  await using closed = await startService();
  const refused = await closed.fetch('/v1/account', { method: 'OPTIONS', headers: preflight });
  assert.equal(refused.headers['access-control-allow-origin'], undefined);
  await using open = await startService({ env: { SIANN_CORS_ORIGINS: '*' } });
  const allowed = await open.fetch('/v1/account', { headers: { origin: 'null' } });
  assert.equal(allowed.headers['access-control-allow-origin'], '*');
});
