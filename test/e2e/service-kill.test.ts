import assert from 'node:assert/strict';
import { test } from 'node:test';
import { killDuringLoad } from '../../bench/service/kill.ts';
import { testModels } from '../support/tiny-model.ts';

/** `npm run bench:service -- --only kill` does the same with more requests, more kills and speech. */
test('a service that is killed again and again has charged whom it answered, once, and nobody else', async () => {
  const { answered, lost, differences, orphans } = await killDuringLoad({
    requests: 60,
    kills: 2,
    seed: 3,
    clips: 'silence',
    env: { SIANN_MODEL: 'tiny', SIANN_CACHE: testModels },
    explain: () => {},
  });
  assert.deepEqual(differences, []);
  assert.equal(orphans, 0);
  assert.ok(answered > 20 && lost > 0, `${answered} answered, ${lost} lost`);
});
