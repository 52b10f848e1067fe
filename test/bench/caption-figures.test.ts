import assert from 'node:assert/strict';
import { test } from 'node:test';
import { captionFigures, quantile, type Seen } from '../../bench/realtime/caption-figures.ts';
import type { TranscriptEvent } from '../../wire/stream-events.ts';

let seq = 0;
function transcript(atSeconds: number, given: Partial<TranscriptEvent>): Seen[number] {
  const event: TranscriptEvent = {
    type: 'transcript',
    seq: ++seq,
    segment_id: 0,
    is_final: false,
    speech_final: false,
    from_finalize: false,
    start: 1,
    end: 2,
    text: '',
    language: 'en',
    ...given,
  };
  return { event, atSeconds };
}

test('what a listener saw is measured against what the speaker did', () => {
  const seen: Seen = [
    { event: { type: 'speech.started', at: 1 }, atSeconds: 1.3 },
    transcript(1.8, { end: 1.4, text: 'one' }),
    transcript(2.4, { end: 2, text: 'one too' }),
    transcript(3.75, { end: 3, text: 'one two three', is_final: true, speech_final: true }),
    transcript(4, { segment_id: 1, start: 4, end: 4.5, text: 'four', is_final: true, from_finalize: true }),
  ];
  const figures = captionFigures(seen, 0.5);
  assert.equal(Math.round(figures.firstPartial! * 100), 80);
  assert.deepEqual(
    figures.finals.map((seconds) => Math.round(seconds * 100)),
    [25],
  );
  assert.equal(figures.text, 'one two three four');
  assert.deepEqual([figures.shown, figures.changed], [2, 1]);
  // Nothing is shown for 0.8 s, then text that ends 0.4 s before the speaker; just before the end it is 1 s old.
  assert.ok(Math.abs(Math.max(...figures.behind) - 0.9) < 0.11, String(Math.max(...figures.behind)));
});

test('text that only grows has not changed, and a word that moves to the next segment has not either', () => {
  const seen: Seen = [
    transcript(1, { text: '今天' }),
    transcript(2, { text: '今天天氣很好' }),
    transcript(3, { text: '今天天氣', is_final: true }),
    transcript(4, { text: '很好', is_final: true, segment_id: 1 }),
  ];
  const { shown, changed } = captionFigures(seen, 0.5);
  assert.deepEqual([shown, changed], [6, 0]);
});

test('quantiles are values that were seen', () => {
  assert.equal(quantile([3, 1, 2], 0.5), 2);
  assert.equal(quantile([3, 1, 2], 0.95), 3);
  assert.ok(Number.isNaN(quantile([], 0.5)));
});
