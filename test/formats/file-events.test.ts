import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEventWriter } from '../../src/formats/file-events.ts';
import { joinText } from '../../src/speech/text/join-text.ts';
import { segment } from '../support/segment.ts';

const texts = ['我們用', ' Python 寫', 'Really?', '  ', 'Yes.', '好', '。', 'OK'];

test('the deltas of a stream joined together are its text', () => {
  const writer = createEventWriter();
  const events = texts.flatMap((text, id) => writer.segment(segment({ id, text })));
  const deltas = events.flatMap((event) => (event.type === 'transcript.text.delta' ? [event.delta] : []));
  const done = writer.done(12.34567);
  assert.equal(done.text, joinText(texts));
  assert.equal(deltas.join(''), done.text);
  assert.deepEqual(done.usage, { type: 'duration', seconds: 12.346 });
});

test("a segment follows its delta, in OpenAI's form", () => {
  const writer = createEventWriter();
  writer.segment(segment({ text: 'One.' }));
  assert.deepEqual(writer.segment(segment({ id: 1, text: ' Two.', speaker: 1 })), [
    { type: 'transcript.text.delta', delta: ' Two.', segment_id: 'seg_1' },
    { type: 'transcript.text.segment', id: 'seg_1', start: 1, end: 2, text: 'Two.', speaker: 1 },
  ]);
});
