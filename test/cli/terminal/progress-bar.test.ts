import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createProgressBar } from '../../../src/cli/terminal/progress-bar.ts';

test('the bar shows the share that is done, estimated from the bytes read, the time and the speed', async () => {
  const { bar, lines, advance } = terminal(80);
  const progress = bar.startFile('meeting.mp3', 1000);
  await drain(progress.count(bytes(500)));
  advance(10_000);
  progress.update({ decodedSeconds: 60, doneSeconds: 30 }); // Half the bytes were 60 s, so the whole is 120 s.
  assert.equal(lines.at(-1), '█████░░░░░░░░░░░░░░░  25%  00:30  3.0×  meeting.mp3');
  await drain(progress.count(bytes(500)));
  advance(10_000);
  progress.update({ decodedSeconds: 3700, doneSeconds: 3700 });
  assert.equal(lines.at(-1), '████████████████████ 100%  01:01:40  185.0×  meeting.mp3');
});

test('input of unknown size shows the time only', async () => {
  const { bar, lines, advance } = terminal(80);
  const progress = bar.startFile('-');
  advance(1000);
  progress.update({ decodedSeconds: 5, doneSeconds: 4 });
  assert.equal(lines.at(-1), '00:04  4.0×  -');
});

test('a line never wraps, also with wide characters', () => {
  const { bar, lines } = terminal(34);
  bar.showStep('準備模型中', 0.5);
  assert.equal(lines.at(-1), '██████████░░░░░░░░░░  50%  準備模');
});

test('the bar is redrawn at most ten times a second', () => {
  const { bar, lines, advance } = terminal(80);
  for (let i = 0; i < 100; i++) {
    bar.showStep('step', i / 100);
    advance(10);
  }
  assert.equal(lines.length, 10);
});

test('nothing is drawn when the output is not a terminal', () => {
  const written: string[] = [];
  const bar = createProgressBar({ write: (text) => written.push(text) });
  bar.showStep('step', 0.5);
  bar.clear();
  assert.deepEqual(written, []);
});

function terminal(columns: number) {
  const lines: string[] = [];
  let now = 0;
  const output = {
    write: (text: string) => lines.push(text.replace('\r\u001B[K', '')),
    isTTY: true,
    columns,
  };
  const advance = (milliseconds: number) => {
    now += milliseconds;
  };
  return { bar: createProgressBar(output, { now: () => now }), lines, advance };
}

async function* bytes(count: number): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(count);
}

async function drain(chunks: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of chunks);
}
