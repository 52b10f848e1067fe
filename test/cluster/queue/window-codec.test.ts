import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unpackAudio } from '../../../src/audio/samples/packed-audio.ts';
import { windowCodec } from '../../../src/cluster/queue/window-codec.ts';
import { aWindow as window } from '../../speech/a-window.ts';

test('a window comes back whole, its audio within half a step of 16 bits', () => {
  const bytes = windowCodec.packJob(window);
  assert.ok(bytes.length < window.audio.length * 2 + 1_000);
  // Redis hands bytes over at any address.
  for (const offset of [0, 1]) {
    const moved = Buffer.concat([Buffer.alloc(offset), bytes]).subarray(offset);
    const { audio: packed, ...rest } = windowCodec.unpackJob(moved);
    const audio = unpackAudio(packed);
    const { audio: original, ...expected } = window;
    assert.deepEqual(rest, expected);
    assert.equal(audio.length, original.length);
    const worst = audio.reduce(
      (most, sample, index) => Math.max(most, Math.abs(sample - original[index]!)),
      0,
    );
    assert.ok(worst < 0.501 / 32_767, `${worst}`);
  }
});

test('audio that goes over full scale is not cut off', () => {
  const audio = Float32Array.of(0, 1.5, -1.25, 0.001, -0.001);
  const back = unpackAudio(windowCodec.unpackJob(windowCodec.packJob({ ...window, audio })).audio);
  for (const [index, sample] of back.entries()) assert.ok(Math.abs(sample - audio[index]!) < 1.5 / 32_767);
});

test('silence and an empty window are packed too', () => {
  for (const audio of [new Float32Array(100), new Float32Array(0)])
    assert.deepEqual(
      unpackAudio(windowCodec.unpackJob(windowCodec.packJob({ ...window, audio })).audio),
      audio,
    );
});
