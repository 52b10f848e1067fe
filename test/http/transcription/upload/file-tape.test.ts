import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTranscriptionCapacity } from '../../../../src/http/transcription/capacity.ts';
import { createFileTape } from '../../../../src/http/transcription/upload/file-tape.ts';
import { noise } from '../../../audio/fixtures.ts';

const block = 64 * 1024;

test('what is written in pieces of any size is read whole, and read again', async () => {
  const { tape } = open();
  const bytes = noise(300_001);
  const first = readAll(tape.read());
  for (const [from, to] of [
    [0, 1],
    [1, 70_000],
    [70_000, 70_000],
    [70_000, 300_001],
  ] as const) {
    tape.append(bytes.subarray(from, to));
    await new Promise(setImmediate);
  }
  tape.end();
  assert.deepEqual(await first, bytes);
  assert.deepEqual(await readAll(tape.read()), bytes);
});

test('a second reader cuts off the first', async () => {
  const { tape } = open();
  tape.append(noise(10));
  const first = tape.read();
  await first.next();
  const waiting = first.next();
  waiting.catch(() => {});
  const second = readAll(tape.read());
  await new Promise(setImmediate);
  tape.append(noise(10));
  tape.end();
  assert.equal((await second).length, 20);
  await assert.rejects(waiting, /taken over/);
});

test('a file that is let go as soon as it is read again is still read from its beginning', async () => {
  const { tape } = open();
  tape.append(noise(3 * block));
  tape.end();
  for await (const _ of tape.read());
  const again = tape.read();
  tape.letGo();
  assert.deepEqual(await readAll(again), noise(3 * block));
});

test('past its limit a file is let go, and its writer waits for the reader', async () => {
  const { tape, capacity } = open({ maxHeld: 4 * block });
  const reader = tape.read();
  for (let written = 0; written < 4; written++) tape.append(new Uint8Array(block));
  assert.equal(tape.overflow(), undefined);
  assert(tape.rewindable());
  await tape.room();

  for (let written = 0; written < 8; written++) tape.append(new Uint8Array(block));
  assert.equal(tape.overflow(), 'file');
  let hasRoom = false;
  const room = tape.room().then(() => {
    hasRoom = true;
  });
  await new Promise(setImmediate);
  assert.equal(hasRoom, false);
  for (let read = 0; read < 6; read++) await reader.next();
  await room;
  assert.equal(tape.rewindable(), false);
  assert.equal(capacity.heldBytes(), 0);
});

test('what is held counts until it has been read, and files that find no room are let go', async () => {
  const { tape, capacity } = open({ budget: 2 * block });
  tape.append(new Uint8Array(2 * block));
  const other = createFileTape({ capacity });
  other.append(new Uint8Array(block));
  assert.equal(other.overflow(), 'others');

  tape.end();
  tape.letGo();
  assert.equal(capacity.heldBytes(), 2 * block);
  for await (const _ of tape.read());
  assert.equal(capacity.heldBytes(), block);
  tape[Symbol.dispose]();
  assert.equal(capacity.heldBytes(), 0);
});

test('after its end a tape takes bytes without keeping them, and nobody waits for it', async () => {
  const { tape, capacity } = open({ maxHeld: block });
  const reader = tape.read();
  tape.append(new Uint8Array(20 * block));
  const room = tape.room();
  tape[Symbol.dispose]();
  await room;
  tape.append(new Uint8Array(20 * block));
  await tape.room();
  assert.equal(capacity.heldBytes(), 0);
  await assert.rejects(reader.next(), /nobody wants/);
});

function open({ budget = 1e9, maxHeld = 1e9 } = {}) {
  const capacity = createTranscriptionCapacity({ maxTranscriptions: 1, maxHeldBytes: budget });
  return { capacity, tape: createFileTape({ capacity, maxHeld }) };
}

async function readAll(bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of bytes) pieces.push(piece);
  return new Uint8Array(Buffer.concat(pieces));
}
