import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { decodeText } from '../../../../src/speech/inference/decoding/vocabulary.ts';
import type { EncodedWindow } from '../../../../src/speech/inference/network/whisper-encoder.ts';
import {
  encodeFixture,
  likeliest,
  opening,
  openTiny,
  type TinyNetwork,
} from '../../../support/tiny-model.ts';

let network: TinyNetwork;
let fresh: TinyNetwork['decoder'];
/** Different speech and different lengths of it, so that rows of a batch have something to mix up. */
let windows: EncodedWindow[];
/** Each window's text when it is decoded alone. */
let alone: number[][];

const languages = ['en', 'en', 'zh', 'en'] as const;

before(async () => {
  network = await openTiny(4);
  fresh = (await openTiny(1)).decoder;
  windows = [
    await encodeFixture(network, 'speech-16k.wav', 250),
    await encodeFixture(network, 'two-sentences.flac', 480),
    await encodeFixture(network, 'synthetic-voice.flac', 300),
    await encodeFixture(network, 'speech-8k-mulaw.wav', 250),
  ];
  alone = [];
  for (const [index, window] of windows.entries()) {
    const [text] = await decodeTogether([add(window, index)]);
    alone.push(text!);
  }
});

test('windows of different speech have different texts', () => {
  const texts = alone.map((tokens) => decodeText(network.vocabulary, tokens));
  assert.match(texts[0]!, /Monday morning/);
  assert.match(texts[1]!, /blue folder.*train/);
  assert.match(texts[2]!, /\p{Script=Han}/u);
});

test('windows decoded side by side get exactly the text that each gets alone', async () => {
  const together = await decodeTogether(windows.map((window, index) => add(window, index)));
  assert.deepEqual(together, alone);
});

test('a window that joins later gets the same text, whatever the lengths of the others', async () => {
  const early = add(windows[1]!, 1);
  await prompt(early);
  for (let i = 0; i < 5; i++) await stepAll([early]);
  const together = await decodeTogether([early, add(windows[3]!, 3), add(windows[0]!, 0)]);
  assert.deepEqual(together, [alone[1], alone[3], alone[0]]);
});

test('a window that leaves from the middle does not change the text of the others', async () => {
  const all = windows.map((window, index) => add(window, index));
  for (const each of all) await prompt(each);
  for (let i = 0; i < 6; i++) await stepAll(all);
  const [first, second, third, last] = all as [Row, Row, Row, Row];
  assert.equal(network.decoder.remove(1), 3);
  assert.equal(network.decoder.count, 3);
  const rest = [first, last, third]; // the last row moves into the freed one
  while (rest.some((each) => !each.done)) await stepAll(rest);
  assert.deepEqual(
    rest.map(({ text }) => text),
    [alone[0], alone[3], alone[2]],
  );
  assert.deepEqual(second.text, alone[1]!.slice(0, second.text.length));
  removeAll();
});

test('a window that begins again gets the same text again', async () => {
  const [first, second] = [add(windows[0]!, 0), add(windows[2]!, 2)];
  for (const each of [first, second]) await prompt(each);
  for (let i = 0; i < 8; i++) await stepAll([first, second]);
  network.decoder.restart(0);
  Object.assign(first, { text: [], done: false });
  await prompt(first);
  while (!first.done || !second.done) await stepAll([first, second]);
  assert.deepEqual([first.text, second.text], [alone[0], alone[2]]);
  removeAll();
});

test('tokens fed at once or one at a time lead to the same log-probabilities', async () => {
  const { decoder } = network;
  const tokens = [...opening(network, 'en'), ...alone[0]!];
  decoder.add(windows[0]!);
  for (const length of [5, 12, tokens.length]) {
    decoder.restart(0);
    const atOnce = await decoder.prompt(0, tokens.slice(0, length));
    decoder.restart(0);
    let oneByOne = await decoder.prompt(0, tokens.slice(0, 1));
    for (const token of tokens.slice(1, length)) oneByOne = await decoder.step([token]);
    assertAlike(atOnce, oneByOne, `after ${length} tokens`);
  }
  removeAll();
});

test('the capacity for tokens grows past 32, 64 and 96 tokens, and shrinks again, without a trace', async () => {
  const { decoder, shape } = network;
  const tokens = Array.from(
    { length: 100 },
    (_, i) => [...opening(network, 'en'), ...alone[1]!][i] ?? 1000 + 7 * i,
  );
  decoder.add(windows[1]!);
  decoder.add(windows[0]!);
  await decoder.prompt(0, tokens.slice(0, 30));
  await decoder.prompt(1, tokens.slice(0, 30));
  for (const [index, token] of tokens.entries()) {
    if (index < 30) continue;
    if (index % 40 === 0) decoder.restart(1);
    const rows = await decoder.step([token, token]);
    if (![31, 32, 33, 63, 64, 65, 95, 96, 97].includes(index)) continue;
    const atOnce = await promptAlone(windows[1]!, tokens.slice(0, index + 1));
    assertAlike(rows.subarray(0, shape.vocabulary), atOnce, `after ${index + 1} tokens`);
  }
  decoder.restart(0);
  decoder.restart(1);
  const short = await decoder.prompt(0, tokens.slice(0, 5));
  assertAlike(short, await promptAlone(windows[1]!, tokens.slice(0, 5)), 'after the capacity shrank');
  removeAll();
});

test('the attention of each head and token is spread over the frames of the audio and sums to 1', async () => {
  const tokens = [...opening(network, 'en'), ...alone[0]!];
  network.decoder.add(windows[1]!);
  network.decoder.add(windows[0]!);
  const { heads, tokens: rows, frames, weights } = await network.decoder.align(1, tokens);
  assert.deepEqual([heads, rows], [network.shape.alignmentHeads.length, tokens.length]);
  for (let row = 0; row < heads * rows; row++) {
    const attention = weights.subarray(row * frames, (row + 1) * frames);
    const sum = attention.reduce((total, each) => total + each, 0);
    assert(Math.abs(sum - 1) < 1e-4, `row ${row} sums to ${sum}`);
    // The window is shorter than its neighbour, and nothing is attended to beyond its end.
    assert(attention.subarray(windows[0]!.frames).every((each) => each === 0));
  }
  removeAll();
});

test('a draft is answered token by token in one go, and decoding goes on after what was kept of it', async () => {
  const { decoder, shape } = network;
  const begun = opening(network, 'en');
  const draft = [...alone[0]!.slice(0, 6), 50_000];
  decoder.add(windows[0]!);
  const rows = await decoder.prompt(0, [...begun, ...draft], draft.length + 1);
  for (let length = 0; length < draft.length; length++) {
    const row = rows.subarray(length * shape.vocabulary, (length + 1) * shape.vocabulary);
    const expected = await promptAlone(windows[0]!, [...begun, ...draft.slice(0, length)]);
    assertAlike(row, expected, `after ${length} tokens of the draft`);
  }
  const kept = draft.slice(0, 4);
  decoder.truncate(0, begun.length + kept.length);
  assert.throws(() => decoder.truncate(0, begun.length + kept.length + 1), /longer/);
  const another = alone[0]![4]!;
  const expected = await promptAlone(windows[0]!, [...begun, ...kept, another]);
  assertAlike(await decoder.step([another]), expected, 'after what was kept');
  removeAll();
});

test('a window may leave before any was asked for its text', async () => {
  const { decoder } = await openTiny(2);
  decoder.add(windows[0]!);
  decoder.add(windows[1]!);
  decoder.remove(0);
  const row = await decoder.prompt(0, opening(network, 'en'));
  assert.equal(likeliest(row), alone[1]![0]);
});

type Row = { index: number; language: 'zh' | 'en'; text: number[]; next: number; done: boolean };

function add(window: EncodedWindow, index: number): Row {
  return { index: network.decoder.add(window), language: languages[index]!, text: [], next: 0, done: false };
}

/** To the end of every row; the decoder is empty afterwards. */
async function decodeTogether(rows: Row[]): Promise<number[][]> {
  for (const row of rows) if (row.text.length === 0) await prompt(row);
  while (rows.some((row) => !row.done)) await stepAll(rows);
  removeAll();
  return rows.map(({ text }) => text);
}

async function prompt(row: Row): Promise<void> {
  take(row, await network.decoder.prompt(row.index, opening(network, row.language)));
}

/** `rows` in the order of the decoder's rows. */
async function stepAll(rows: Row[]): Promise<void> {
  const { vocabulary } = network.shape;
  const result = await network.decoder.step(rows.map(({ next }) => next));
  for (const [index, row] of rows.entries()) {
    if (!row.done) take(row, result.subarray(index * vocabulary, (index + 1) * vocabulary));
  }
}

function take(row: Row, logProbabilities: Float32Array): void {
  row.next = likeliest(logProbabilities);
  row.done = row.next === network.vocabulary.endOfText || row.text.length > 60;
  if (!row.done) row.text.push(row.next);
}

/** With a second decoder, which never holds anything else. */
async function promptAlone(window: EncodedWindow, tokens: number[]): Promise<Float32Array> {
  fresh.add(window);
  const row = await fresh.prompt(0, tokens);
  fresh.remove(0);
  return row;
}

function removeAll(): void {
  while (network.decoder.count > 0) network.decoder.remove(network.decoder.count - 1);
}

/**
 * Sums are taken in another order, and inputs rounded to 8 bits make more of that: about 0.2 in the logarithm, as far as
 * either is from the network in real numbers. A token lost or seen too early makes several times that.
 */
function assertAlike(row: Float32Array, expected: Float32Array, when: string): void {
  const top = [...expected.keys()].sort((a, b) => expected[b]! - expected[a]!).slice(0, 20);
  const difference = top.reduce((most, token) => Math.max(most, Math.abs(row[token]! - expected[token]!)), 0);
  assert(difference < 0.5, `${when}: ${difference}`);
}
