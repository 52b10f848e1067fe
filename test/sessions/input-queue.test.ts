import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createInputQueue, type SessionInput } from '../../src/sessions/input-queue.ts';
import { seededNumbers } from '../support/seeded-numbers.ts';

test('frames of any length come out whole and in order, joined where nothing lies between', async () => {
  const random = seededNumbers(5);
  const queue = createInputQueue();
  const sent: number[] = [];
  let finalizes = 0;
  for (let count = 0; count < 300; count++) {
    const bytes = new Uint8Array(Math.floor(random() ** 4 * 9_000)).fill(count % 251);
    queue.addAudio(bytes);
    sent.push(...bytes);
    bytes.fill(255);
    if (random() > 0.05) continue;
    queue.addFinalize();
    finalizes++;
  }
  queue.end();
  const read = await readAll(queue.items());
  const audio = read.flatMap((input) => (input.type === 'audio' ? [Buffer.from(input.bytes)] : []));
  assert.deepEqual(Buffer.concat(audio), Buffer.from(sent));
  assert.equal(read.filter(({ type }) => type === 'finalize').length, finalizes);
  assert.ok(audio.length < 200, `${audio.length} inputs`);
});

test('a reader that keeps up gets every frame as it came', async () => {
  const queue = createInputQueue();
  const items = queue.items();
  for (const length of [1, 70_000, 2]) {
    queue.addAudio(new Uint8Array(length));
    const { value } = await items.next();
    assert.equal(value?.type === 'audio' && value.bytes.length, length);
  }
});

async function readAll(items: AsyncIterable<SessionInput>): Promise<SessionInput[]> {
  const read: SessionInput[] = [];
  for await (const item of items) read.push(item);
  return read;
}
