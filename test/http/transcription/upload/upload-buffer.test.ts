import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTranscriptionCapacity } from '../../../../src/http/transcription/capacity.ts';
import { createUploadBuffer } from '../../../../src/http/transcription/upload/upload-buffer.ts';
import { noise } from '../../../audio/fixtures.ts';

const block = 64 * 1024;

test('bytes that are written in pieces of any size can be read, and read again', async () => {
  const { buffer } = open();
  const bytes = noise(300_001);
  const first = readAll(buffer.read());
  for (const [from, to] of [
    [0, 1],
    [1, 70_000],
    [70_000, 70_000],
    [70_000, 300_001],
  ] as const) {
    buffer.append(bytes.subarray(from, to));
    await new Promise(setImmediate);
  }
  buffer.end();
  assert.deepEqual(await first, bytes);
  assert.deepEqual(await readAll(buffer.read()), bytes);
});

test('a second reader makes the first one fail', async () => {
  const { buffer } = open();
  buffer.append(noise(10));
  const first = buffer.read();
  await first.next();
  const waiting = first.next();
  waiting.catch(() => {});
  const second = readAll(buffer.read());
  await new Promise(setImmediate);
  buffer.append(noise(10));
  buffer.end();
  assert.equal((await second).length, 20);
  await assert.rejects(waiting, /taken over/);
});

test('a file that is no longer held once it is read again is still read from its beginning', async () => {
  const { buffer } = open();
  buffer.append(noise(3 * block));
  buffer.end();
  for await (const _ of buffer.read());
  const again = buffer.read();
  buffer.stopHolding();
  assert.deepEqual(await readAll(again), noise(3 * block));
});

test('a file beyond its limit is no longer held, and its writer waits for the reader', async () => {
  const { buffer, capacity } = open({ maxHeld: 4 * block });
  const reader = buffer.read();
  for (let written = 0; written < 4; written++) buffer.append(new Uint8Array(block));
  assert.equal(buffer.overflow(), undefined);
  assert(buffer.rewindable());
  await buffer.drained();

  for (let written = 0; written < 8; written++) buffer.append(new Uint8Array(block));
  assert.equal(buffer.overflow(), 'file');
  let isDrained = false;
  const drained = buffer.drained().then(() => {
    isDrained = true;
  });
  await new Promise(setImmediate);
  assert.equal(isDrained, false);
  for (let read = 0; read < 6; read++) await reader.next();
  await drained;
  assert.equal(buffer.rewindable(), false);
  assert.equal(capacity.heldBytes(), 0);
});

test('held bytes count until they have been read, and a file is not held when others hold too much', async () => {
  const { buffer, capacity } = open({ budget: 2 * block });
  buffer.append(new Uint8Array(2 * block));
  const other = createUploadBuffer({ capacity });
  other.append(new Uint8Array(block));
  assert.equal(other.overflow(), 'others');

  buffer.end();
  buffer.stopHolding();
  assert.equal(capacity.heldBytes(), 2 * block);
  for await (const _ of buffer.read());
  assert.equal(capacity.heldBytes(), block);
  buffer[Symbol.dispose]();
  assert.equal(capacity.heldBytes(), 0);
});

test('after disposal a buffer throws bytes away, and its writer need not wait', async () => {
  const { buffer, capacity } = open({ maxHeld: block });
  const reader = buffer.read();
  buffer.append(new Uint8Array(20 * block));
  const drained = buffer.drained();
  buffer[Symbol.dispose]();
  await drained;
  buffer.append(new Uint8Array(20 * block));
  await buffer.drained();
  assert.equal(capacity.heldBytes(), 0);
  await assert.rejects(reader.next(), /nobody wants/);
});

function open({ budget = 1e9, maxHeld = 1e9 } = {}) {
  const capacity = createTranscriptionCapacity({ maxTranscriptions: 1, maxHeldBytes: budget });
  return { capacity, buffer: createUploadBuffer({ capacity, maxHeld }) };
}

async function readAll(bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of bytes) pieces.push(piece);
  return new Uint8Array(Buffer.concat(pieces));
}
