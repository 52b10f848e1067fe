import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { sampleChildMemory } from '../../bench/process-memory.ts';

const megabyte = 2 ** 20;

test('the peak covers children of children, and is kept after they have ended', {
  skip: process.platform !== 'linux',
}, async () => {
  const allocate = `const held = Buffer.alloc(${150 * megabyte}, 1); setTimeout(() => held, 500);`;
  const spawnAnother = `require('node:child_process').spawnSync(process.execPath, ['-e', ${JSON.stringify(allocate)}]);`;
  const sampling = sampleChildMemory(20);
  await once(spawn(process.execPath, ['-e', spawnAnother]), 'exit');
  const { peakBytes } = sampling.stop();
  assert.ok(peakBytes > 150 * megabyte, `${peakBytes}`);
  assert.ok(peakBytes < 600 * megabyte, `${peakBytes}`);
});
