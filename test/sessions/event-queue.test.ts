import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEventQueue, type QueuedEvent } from '../../src/sessions/event-queue.ts';
import type { SessionEvent } from '../../wire/stream-events.ts';

test('a slow reader misses partials that were overtaken, and nothing else', async () => {
  const queue = createEventQueue();
  queue.push({ type: 'speech.started', at: 1 });
  for (const text of ['a', 'a b', 'a b c']) queue.push(transcript(0, text, false));
  queue.push(transcript(0, 'a b c d', true));
  queue.push(transcript(1, 'e', false));
  queue.push(transcript(1, 'e f', false));
  queue.push({ type: 'warning', code: 'idle', message: 'Send something.' });
  queue.end();
  const read = await readAll(queue.events());
  assert.deepEqual(
    read.map((event) => (event.type === 'transcript' ? `${event.seq} ${event.text}` : event.type)),
    ['speech.started', '1 a b c d', '2 e f', 'warning'],
  );
});

test('a newer partial comes after what came between, and what nobody reads takes the space of one partial', async () => {
  const queue = createEventQueue();
  queue.push(transcript(0, 'a', false));
  queue.push({ type: 'warning', code: 'idle', message: 'Send something.' });
  for (let count = 0; count < 10_000; count++) queue.push(transcript(0, `a ${count}`, false));
  assert.equal(queue.size, 3);
  queue.end();
  const read = await readAll(queue.events());
  assert.deepEqual(
    read.map((event) => (event.type === 'transcript' ? `${event.seq} ${event.text}` : event.type)),
    ['warning', '1 a 9999'],
  );
});

test('a quick reader sees every partial as it comes, and the end', async () => {
  const queue = createEventQueue();
  const reading = readAll(queue.events());
  for (const text of ['a', 'a b']) {
    queue.push(transcript(0, text, false));
    await new Promise((resolve) => setImmediate(resolve));
  }
  queue.end();
  queue.push(transcript(0, 'too late', true));
  const read = await reading;
  assert.deepEqual(
    read.map((event) => event.type === 'transcript' && event.text),
    ['a', 'a b'],
  );
});

function transcript(segment_id: number, text: string, is_final: boolean): QueuedEvent {
  const times = { start: 0, end: 1, language: 'en' };
  return {
    type: 'transcript',
    segment_id,
    is_final,
    speech_final: false,
    from_finalize: false,
    text,
    ...times,
  };
}

async function readAll(events: AsyncIterable<SessionEvent>): Promise<SessionEvent[]> {
  const read: SessionEvent[] = [];
  for await (const event of events) read.push(event);
  return read;
}
