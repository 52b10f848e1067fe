import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';
import { createTranscriptionCapacity } from '../../../src/http/transcription/capacity.ts';

test('of several transcriptions of a project at once, only the first is one that somebody waits for', () => {
  const capacity = createTranscriptionCapacity({ maxTranscriptions: 10 });
  const first = capacity.takePermit('one');
  const second = capacity.takePermit('one');
  using other = capacity.takePermit('another');
  assert.deepEqual(
    [first, second, other].map(({ isOnlyOne }) => isOnlyOne),
    [true, false, true],
  );
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  using third = capacity.takePermit('one');
  assert.equal(third.isOnlyOne, false);
  second[Symbol.dispose]();
  third[Symbol.dispose]();
  using last = capacity.takePermit('one');
  assert.equal(last.isOnlyOne, true);
  assert.equal(capacity.inFlight(), 2);
});

test('a project that begins more than can be recognised waits, and no other waits for it', async () => {
  const capacity = createTranscriptionCapacity({ maxTranscriptions: 10 });
  const burst = 20 * availableParallelism();
  const { signal } = new AbortController();
  const begun = performance.now();
  for (let count = 0; count < burst; count++) await capacity.turnOf('one', signal);
  const late = capacity.turnOf('one', signal);
  await capacity.turnOf('another', signal);
  const ofOther = performance.now();
  await late;
  const waited = performance.now() - begun;
  assert.ok(ofOther - begun < waited, 'another project waited as long');
  assert.ok(waited >= 1000 / (5 * availableParallelism()) - 5, `${waited} ms`);

  const gone = new Error('gone');
  await assert.rejects(capacity.turnOf('one', AbortSignal.abort(gone)), gone);
});
