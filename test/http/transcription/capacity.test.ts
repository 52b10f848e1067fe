import assert from 'node:assert/strict';
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
