import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { recogniseParts, type WindowPart } from '../../../src/speech/recognition/recognise-parts.ts';
import type { RecognisedWord, WindowResult } from '../../../src/speech/windows/window-messages.ts';
import { recognisedSegment, recognisedWindow } from '../recognised.ts';

/** What is said in a window: every character with the pause behind it, in seconds. Clauses may be said twice in a row. */
const clause = fc
  .record({
    characters: fc.integer({ min: 3, max: 8 }),
    pause: fc.double({ min: 0, max: 0.4, noNaN: true }),
    twice: fc.boolean(),
  })
  .map((each) => ({ ...each, pause: Math.round(each.pause * 100) / 100 }));
/** What goes wrong with each part that is recognised, and where in it. */
const mishap = fc.record({
  kind: fc.constantFrom('none', 'stops early', 'jumps ahead', 'crowded'),
  where: fc.double({ min: 0.1, max: 0.9, noNaN: true }),
});

const characterSeconds = 0.25;
/** More than a tail or a hole that counts as silence. */
const leastTail = 1.8;
const leastHole = 3.2;

test('whatever the decoder leaves out or crowds together, every word is written once, and what is said twice is written twice', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(clause, { minLength: 1, maxLength: 6 }),
      fc.array(mishap, { maxLength: 6 }),
      async (clauses, mishaps) => {
        const said = spoken(clauses);
        const seconds = said.at(-1)!.endSeconds + 0.3;
        // Each sample is its own position, so that a part of the window is known by its first.
        const audio = Float32Array.from({ length: Math.ceil(seconds * 16_000) }, (_, index) => index);
        const left = [...mishaps];
        const whole: WindowPart = {
          audio,
          speech: [{ startSeconds: 0, endSeconds: seconds }],
          language: 'nan-TW',
        };
        const parts = await recogniseParts(whole, async (part) => recognised(said, part.audio, left.shift()));
        const written = parts
          .flatMap(({ segments }) => segments)
          .sort((one, other) => one.startSeconds - other.startSeconds)
          .map(({ text }) => text);
        assert.equal(written.join(''), said.map(({ text }) => text).join(''));
      },
    ),
    { seed: 22, numRuns: 500 },
  );
});

function spoken(clauses: readonly { characters: number; pause: number; twice: boolean }[]): RecognisedWord[] {
  const words: RecognisedWord[] = [];
  let code = 0x4e00;
  let time = 0.2;
  for (const { characters, pause, twice } of clauses) {
    const text = Array.from({ length: characters }, () => String.fromCodePoint(code++));
    for (const character of twice ? [...text, ...text] : text) {
      words.push({
        text: character,
        startSeconds: time,
        endSeconds: time + characterSeconds,
        probability: 1,
      });
      time += characterSeconds;
    }
    time += pause;
  }
  return words;
}

/** What a decoder makes of a part, if this goes wrong with it; nothing does where there is too little speech for it to matter. */
function recognised(
  said: readonly RecognisedWord[],
  audio: Float32Array,
  { kind, where }: { kind: string; where: number } = { kind: 'none', where: 0 },
): WindowResult {
  const offset = audio[0]! / 16_000;
  const seconds = audio.length / 16_000;
  const words = said
    .map((word) => ({
      ...word,
      startSeconds: word.startSeconds - offset,
      endSeconds: word.endSeconds - offset,
    }))
    .filter(({ startSeconds, endSeconds }) => {
      const middle = (startSeconds + endSeconds) / 2;
      return middle > 0 && middle < seconds;
    });
  const cut = Math.max(4, Math.floor(where * words.length));
  const [first, rest] = [words.slice(0, cut), words.slice(cut)];
  const end = first.at(-1)?.endSeconds ?? 0;
  if (rest.length === 0 || seconds - end < leastTail || kind === 'none') return segments(words);
  if (kind === 'stops early') return segments(first);
  if (kind === 'crowded') return crowded(first, rest, end);
  const behind = rest.filter(({ startSeconds }) => startSeconds - end > leastHole);
  return behind.length === 0 ? segments(words) : segments(first, behind);
}

function segments(...texts: (readonly RecognisedWord[])[]): WindowResult {
  const made = texts
    .filter((words) => words.length > 0)
    .map((words) =>
      recognisedSegment({
        startSeconds: words[0]!.startSeconds,
        endSeconds: words.at(-1)!.endSeconds,
        text: words.map(({ text }) => text).join(''),
        words: [...words],
      }),
    );
  return { recognised: recognisedWindow(made) };
}

/** All words are written, but the times of the last ones lie where the others end. */
function crowded(
  first: readonly RecognisedWord[],
  rest: readonly RecognisedWord[],
  end: number,
): WindowResult {
  const step = 0.1 / rest.length;
  const squeezed = rest.map((word, index) => ({
    ...word,
    startSeconds: end - 0.1 + index * step,
    endSeconds: end - 0.1 + (index + 1) * step,
  }));
  return segments([...first, ...squeezed]);
}
