import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { sign } from '../../support/accounts.ts';
import { startService } from '../../support/service.ts';

test('a signed request that was used before a restart is refused after it', async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'siann-replay-'));
  try {
    const request = { method: 'GET', url: '/v1/account', timestamp: Math.floor(Date.now() / 1000) };
    let headers: Record<string, string> = {};
    {
      await using running = await startService({ dataFolder });
      const { keys } = running.service.accounts;
      const { key, id } = await keys.create({ project: running.projectId, environment: 'live' });
      const { signingSecret } = await keys.requireSignature(id);
      const { signature, signatureTimestamp } = sign(signingSecret, request);
      headers = {
        authorization: `Bearer ${key}`,
        'x-signature': signature!,
        'x-signature-timestamp': signatureTimestamp!,
      };
      assert.equal((await running.fetch(request.url, { headers })).status, 200);
      assert.equal((await running.fetch(request.url, { headers })).status, 403);
    }
    await using again = await startService({ dataFolder });
    assert.equal((await again.fetch(request.url, { headers })).status, 403);
  } finally {
    await rm(dataFolder, { recursive: true, force: true });
  }
});
