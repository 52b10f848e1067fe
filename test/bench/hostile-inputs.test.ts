import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sendHostileInputs } from '../../bench/hostile/inputs/send-hostile-inputs.ts';
import { testModels } from '../support/tiny-model.ts';

test('300 mutated requests and streams: no failure, no hang, and the service is as it was before', async () => {
  const { statuses, faults } = await sendHostileInputs({
    seed: 2026,
    count: 300,
    env: { SIANN_MODEL: 'tiny', SIANN_CACHE: testModels },
  });
  assert.deepEqual(faults, []);
  assert.ok((statuses[200] ?? 0) > 10 && (statuses[400] ?? 0) > 50, JSON.stringify(statuses));
});
