import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { joinSentences } from '../../bench/long-recording.ts';
import { writeWave } from '../../evaluation/wave-file.ts';

const needsFfmpeg = { skip: spawnSync('ffmpeg', ['-version']).error !== undefined };
let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'siann-recording-'));
  await writeWave(join(folder, 'low.wav'), new Float32Array(16_000).fill(0.25));
  await writeWave(join(folder, 'high.wav'), new Float32Array(8_000).fill(0.5));
});

after(() => rm(folder, { recursive: true }));

test('sentences of the sets alternate, with silence between them, and begin again', needsFfmpeg, async () => {
  const low = { name: 'low', language: 'en' as const, sentences: [sentence('low', 1)] };
  const high = { name: 'high', language: 'en' as const, sentences: [sentence('high', 0.5)] };
  const { samples, text } = await joinSentences([low, high], 4);
  assert.equal(text, 'low high low');
  assert.equal(samples.length, 64_000);
  const levels = [0.5, 1.25, 1.75, 2.25, 3, 3.75].map((seconds) => samples[seconds * 16_000]);
  assert.deepEqual(levels, [0.25, 0, 0.5, 0, 0.25, 0]);
});

function sentence(name: string, seconds: number) {
  return { file: join(folder, `${name}.wav`), seconds, text: name };
}
