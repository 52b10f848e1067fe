import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from '../../../../src/errors/service-error.ts';
import { paceUpload } from '../../../../src/http/transcription/upload/upload-pace.ts';

const pace = { idleMs: 100, minimumBytesPerSecond: 1000, graceMs: 100 };

test('an upload that is fast enough is passed on unchanged', async () => {
  const chunks = [Buffer.from('one'), Buffer.from('two'), Buffer.alloc(0), Buffer.from('three')];
  const passed = await collect(paceUpload(drip(chunks, 5), { ...pace, graceMs: 10_000 }));
  assert.equal(passed.join(' '), 'one two  three');
});

test('an upload that stops is cut off', async () => {
  const source = drip([Buffer.alloc(5000), Buffer.alloc(5000)], 0, 10_000);
  const startedAt = performance.now();
  await assert.rejects(collect(paceUpload(source, pace)), tooSlow);
  assert.ok(performance.now() - startedAt < 2_000);
});

test('an upload that is too slow is cut off after the grace time', async () => {
  const trickle = drip(
    Array.from({ length: 100 }, () => Buffer.from('x')),
    20,
  );
  const startedAt = performance.now();
  await assert.rejects(collect(paceUpload(trickle, pace)), tooSlow);
  const tookMs = performance.now() - startedAt;
  assert.ok(tookMs >= 90 && tookMs < 1_500, `${tookMs} ms`);
});

test('the time of a slow reader does not count against the client', async () => {
  const source = drip([Buffer.alloc(50), Buffer.alloc(50), Buffer.alloc(50)], 0);
  let bytes = 0;
  for await (const chunk of paceUpload(source, pace)) {
    await delay(150);
    bytes += chunk.length;
  }
  assert.equal(bytes, 150);
});

test('an abort ends the wait with its reason', async () => {
  const reason = new Error('gone');
  const controller = new AbortController();
  setTimeout(() => controller.abort(reason), 20);
  const source = drip([Buffer.alloc(1)], 10_000);
  await assert.rejects(
    collect(paceUpload(source, { ...pace, idleMs: 5_000, signal: controller.signal })),
    reason,
  );
});

test('a reader that stops also ends the source', async () => {
  let ended = false;
  async function* source() {
    try {
      for (;;) yield Buffer.alloc(10);
    } finally {
      ended = true;
    }
  }
  for await (const _chunk of paceUpload(source(), pace)) break;
  await delay(1);
  assert.ok(ended);
});

function tooSlow(error: unknown): boolean {
  assert.ok(error instanceof ServiceError);
  assert.equal(error.code, 'invalid_multipart');
  assert.match(error.message, /too slowly/);
  return true;
}

async function* drip(chunks: Buffer[], everyMs: number, lastMs = 0): AsyncGenerator<Buffer> {
  for (const chunk of chunks) {
    if (everyMs > 0) await delay(everyMs, undefined, { ref: false });
    yield chunk;
  }
  if (lastMs > 0) await delay(lastMs, undefined, { ref: false });
}

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<string[]> {
  const all: string[] = [];
  for await (const chunk of chunks) all.push(Buffer.from(chunk).toString());
  return all;
}

test('an upload that is aborted while its reader works fails only for that reader', async () => {
  const stop = new AbortController();
  async function* source() {
    for (;;) {
      stop.signal.throwIfAborted();
      yield Buffer.alloc(100);
    }
  }
  const passed = paceUpload(source(), { ...pace, signal: stop.signal });
  await passed.next();
  stop.abort(new Error('given up'));
  await assert.rejects(passed.next(), /given up/);
  // A rejection that nobody handles ends the process, and this test with it.
  await delay(10);
});
