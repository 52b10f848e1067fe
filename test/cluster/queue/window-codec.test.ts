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

test('samples that are no numbers are packed as silence', () => {
  const audio = Float32Array.of(Number.NaN, Number.POSITIVE_INFINITY, 0);
  const back = unpackAudio(windowCodec.unpackJob(windowCodec.packJob({ ...window, audio })).audio);
  assert.ok(back.every((sample) => Number.isFinite(sample)));
});

test('a worker refuses what no node can have sent', () => {
  const bytes = windowCodec.packJob(window);
  const headOf = (head: object) => {
    const text = Buffer.from(JSON.stringify(head));
    const length = Buffer.alloc(4);
    length.writeUInt32LE(text.length);
    return Buffer.concat([length, text]);
  };
  const { audio: _, ...rest } = window;
  const head = { ...rest, fullScale: 1 };
  assert.ok(windowCodec.unpackJob(headOf(head)));
  const refused = [
    Buffer.alloc(0),
    bytes.subarray(0, 40),
    bytes.subarray(0, bytes.length - 1),
    Buffer.concat([bytes, Buffer.alloc(windowCodec.maxJobBytes)]),
    Buffer.concat([Buffer.from([255, 255, 255, 255]), bytes.subarray(4)]),
    headOf({ ...head, language: 'tlh' }),
    headOf({ ...head, draft: Array(2_001).fill(1) }),
    headOf({ ...head, speech: [{ startSeconds: 0, endSeconds: 1e12 }] }),
    headOf({ ...head, fullScale: null }),
    headOf({ ...head, encoderPaths: ['/etc/passwd'] }),
  ];
  for (const job of refused) assert.throws(() => windowCodec.unpackJob(job), /window/);
});
