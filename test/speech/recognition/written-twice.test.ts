import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutWrittenTwice } from '../../../src/speech/recognition/written-twice.ts';
import { recognisedSegment, recognisedWindow } from '../recognised.ts';

/** A segment in which every character takes the same time. */
function said(text: string, startSeconds: number, endSeconds: number) {
  const characters = text
    .match(/[\p{L}]+[\p{P} ]*/gu)!
    .flatMap((each) => (/\p{Script=Han}/u.test(each) ? [...each] : [each]));
  const seconds = (endSeconds - startSeconds) / characters.length;
  const words = characters.map((character, index) => ({
    text: character,
    startSeconds: startSeconds + index * seconds,
    endSeconds: startSeconds + (index + 1) * seconds,
    probability: 1,
  }));
  return recognisedSegment({ startSeconds, endSeconds, text, words });
}

const stretch = { startSeconds: 4, endSeconds: 6.5 };
const kept = (again: ReturnType<typeof said>[], written: ReturnType<typeof said>[]) =>
  withoutWrittenTwice([recognisedWindow(again)], written, stretch).flatMap(({ segments }) =>
    segments.map(({ text }) => text),
  );

test('words that were written in no time before the stretch are not written again', () => {
  const written = [said('阿媽佇灶跤煮飯，', 0.4, 3.7), said('逐家攏咧等伊。', 3.7, 4)];
  assert.deepEqual(kept([said('逐家攏咧等伊。', 4.1, 6.3)], written), []);
});

test('nor those that were written in no time behind it', () => {
  const written = [said('阿媽佇灶跤煮飯，', 0.4, 4), said('逐家攏咧等伊。', 6.5, 6.7)];
  assert.deepEqual(kept([said('逐家攏咧等伊。', 4.1, 6.3)], written), []);
});

test('the second try may be written a little differently', () => {
  const written = [said('阿媽佇灶跤煮飯，', 0.4, 3.7), said('逐家攏咧等伊。', 3.7, 4)];
  assert.deepEqual(kept([said('逐家攏例等伊。', 4.1, 6.3)], written), []);
  assert.deepEqual(kept([said('毋過菜已經冷去。', 4.1, 6.3)], written), ['毋過菜已經冷去。']);
});

test('a clause that somebody says twice is kept, since the first one had its time', () => {
  const written = [said('緊轉來食飯，', 1.8, 4)];
  assert.deepEqual(kept([said('緊轉來食飯，', 4.1, 6.3)], written), ['緊轉來食飯，']);
  const english = [said('wait for me, ', 2.2, 4)];
  assert.deepEqual(kept([said('wait for me. ', 4.2, 6)], english), ['wait for me. ']);
});

test('of several segments only those that were written before are dropped', () => {
  const written = [said('阿媽佇灶跤煮飯，', 0.4, 3.8), said('等伊。', 3.8, 4)];
  assert.deepEqual(kept([said('等伊。', 4, 4.8), said('毋過菜已經冷去。', 5, 6.5)], written), [
    '毋過菜已經冷去。',
  ]);
});

test('words without times are never taken for written twice', () => {
  const untimed = recognisedSegment({ text: '逐家攏咧等伊。' });
  assert.deepEqual(kept([said('逐家攏咧等伊。', 4.1, 6.3)], [untimed]), ['逐家攏咧等伊。']);
  assert.deepEqual(kept([untimed], [said('逐家攏咧等伊。', 3.8, 4)]), ['逐家攏咧等伊。']);
});
