import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diarizationError, errorRate } from '../../../bench/speakers/diarization-error.ts';
import { type SpeakerTurn, whoSpoke } from '../../../src/speech/speakers/who-spoke.ts';
import { processorSeconds } from '../../support/processor-seconds.ts';
import { type MadeUpTurn, makePrints, makeTurns } from './made-up-voices.ts';

const sameSpeakerLikeness = 0.3;

test('one voice is one speaker, whatever the length', async () => {
  for (const seconds of [1, 10, 100, 1000]) {
    const turns = makeTurns(seconds, 1);
    const found = await whoSpoke(makePrints(turns, 1), turns, { sameSpeakerLikeness });
    assert.deepEqual([...new Set(found.map(({ speaker }) => speaker))], [0], `${seconds} s`);
  }
});

for (const voices of [2, 3, 5, 9]) {
  test(`${voices} voices are counted and told apart`, async () => {
    const turns = makeTurns(60 * voices, voices, voices);
    const found = await whoSpoke(makePrints(turns, 1, voices), turns, { sameSpeakerLikeness });
    assert.equal(new Set(found.map(({ speaker }) => speaker)).size, voices);
    assert(errorOf(turns, found).confused < 0.01, `${errorOf(turns, found).confused} confused`);
  });
}

test('speakers are numbered as they first appear', async () => {
  const found = await whoSpoke(makePrints(makeTurns(200, 4), 0.5), makeTurns(200, 4), {
    sameSpeakerLikeness,
  });
  const firsts = [...new Set(found.map(({ speaker }) => speaker))];
  assert.deepEqual(firsts, [0, 1, 2, 3]);
});

test('as many speakers are found as the caller says, though their voices are more or less alike', async () => {
  const turns = makeTurns(120, 3);
  const prints = makePrints(turns, 1);
  for (const numSpeakers of [1, 2, 3]) {
    const found = await whoSpoke(prints, turns, { sameSpeakerLikeness, numSpeakers });
    assert.equal(new Set(found.map(({ speaker }) => speaker)).size, numSpeakers);
  }
});

test('more than ten voices become ten speakers', async () => {
  const turns = makeTurns(600, 14);
  const found = await whoSpoke(makePrints(turns, 0.5), turns, { sameSpeakerLikeness });
  assert.equal(new Set(found.map(({ speaker }) => speaker)).size, 10);
});

test('turns do not overlap, and a pause belongs to who makes it', async () => {
  const turns: MadeUpTurn[] = [
    { startSeconds: 1, endSeconds: 5, voice: 0 },
    { startSeconds: 5.8, endSeconds: 9, voice: 0 },
    { startSeconds: 9.2, endSeconds: 14, voice: 1 },
  ];
  const found = await whoSpoke(makePrints(turns, 0.5), turns, { sameSpeakerLikeness });
  assert.equal(found.length, 2);
  assert.deepEqual(
    found.map(({ startSeconds, endSeconds }) =>
      [startSeconds, endSeconds].map((value) => Math.round(value * 100) / 100),
    ),
    [
      [0.75, 9.1],
      [9.1, 14.25],
    ],
  );
});

test('nobody spoke: no turns', async () => {
  assert.deepEqual(await whoSpoke([], [], { sameSpeakerLikeness }), []);
});

test('the work of grouping grows with the length of a recording, not with its square', async () => {
  const workFor = (hours: number) => {
    const turns = makeTurns(hours * 3600, 4);
    const prints = makePrints(turns, 1);
    return processorSeconds(async () => {
      const found = await whoSpoke(prints, turns, { sameSpeakerLikeness });
      assert.equal(new Set(found.map(({ speaker }) => speaker)).size, 4);
    });
  };
  await workFor(0.2);
  const [one, four] = [await workFor(1), await workFor(4)];
  assert(four < 10 * one + 0.5, `${one} s for one hour, ${four} s for four`);
});

function errorOf(turns: readonly MadeUpTurn[], found: SpeakerTurn[]) {
  const error = diarizationError(
    turns.map(({ voice, ...stretch }) => ({ ...stretch, speaker: `voice ${voice}` })),
    found,
  );
  return { rate: errorRate([error]), confused: error.confusedSeconds / error.referenceSeconds };
}
