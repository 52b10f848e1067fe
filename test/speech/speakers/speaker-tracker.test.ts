import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pcmSampleRate } from '../../../src/audio/pcm.ts';
import type { SpeakerModel } from '../../../src/speech/speakers/speaker-model.ts';
import { createSpeakerTracker } from '../../../src/speech/speakers/speaker-tracker.ts';
import { type MadeUpTurn, makePrints, makeTurns } from './made-up-voices.ts';

const run = { requestId: 'stream', priority: 'realtime' } as const;

test('labels are stable while a conversation goes on, and numbered as the voices appear', async () => {
  const turns = makeTurns(180, 3);
  const { labels, revisions } = await track(turns, 0.7);
  const voiceLabels = new Map(turns.map(({ voice }, index) => [voice, labels[index]!]));
  assert.deepEqual([...new Set(labels)].slice(0, 3), [0, 1, 2]);
  assert(revisions <= 2, `${revisions} revisions`);
  const wrong = turns.filter(({ voice }, index) => voiceLabels.get(voice) !== labels[index]).length;
  assert(wrong <= 2, `${wrong} of ${turns.length} labels are wrong`);
});

test('a turn too short to be somebody new gets its own label once the voice comes again', async () => {
  const turns: MadeUpTurn[] = [
    { startSeconds: 0, endSeconds: 6, voice: 0 },
    { startSeconds: 7, endSeconds: 7.9, voice: 1 },
    { startSeconds: 9, endSeconds: 14, voice: 1 },
  ];
  const { said, labels } = await track(turns, 0.3);
  assert.deepEqual(said, [0, 0, 1]);
  assert.deepEqual(labels, [0, 1, 1]);
});

test('a voice that comes back after a long silence is known again', async () => {
  const turns: MadeUpTurn[] = [
    { startSeconds: 0, endSeconds: 8, voice: 0 },
    { startSeconds: 9, endSeconds: 17, voice: 1 },
    ...Array.from({ length: 60 }, (_, index) => ({
      startSeconds: 20 + index * 6,
      endSeconds: 25 + index * 6,
      voice: 1,
    })),
    { startSeconds: 400, endSeconds: 408, voice: 0 },
    { startSeconds: 409, endSeconds: 417, voice: 2 },
  ];
  const { labels } = await track(turns, 0.7);
  assert.deepEqual(labels.slice(-2), [0, 2]);
  assert.deepEqual(labels.slice(0, 2), [0, 1]);
});

test('when voices cannot be told apart, speech has no label and the log says why', async () => {
  const warnings: object[] = [];
  const model: SpeakerModel = {
    sameSpeakerLikeness: 0.3,
    embed: () => Promise.reject(new Error('the network is damaged')),
    async [Symbol.asyncDispose]() {},
  };
  const log = { warn: (fields: object) => warnings.push(fields) };
  const tracker = createSpeakerTracker({ model, run, log });
  await tracker.add(new Float32Array(2 * pcmSampleRate), 0);
  assert.equal(tracker.labelOf(0, 2), undefined);
  assert.deepEqual(warnings, [{ reason: 'the network is damaged' }]);
});

/** Turn by turn, as a session does it: the labels said at once, and those that stand in the end. */
async function track(turns: MadeUpTurn[], noise: number) {
  const allPrints = makePrints(turns, noise);
  let at = 0;
  const model: SpeakerModel = {
    sameSpeakerLikeness: 0.3,
    async embed() {
      const { startSeconds, endSeconds } = turns[at]!;
      return allPrints
        .filter((print) => print.startSeconds >= startSeconds - 0.5 && print.endSeconds <= endSeconds + 0.5)
        .map((print) => ({
          ...print,
          startSeconds: print.startSeconds - startSeconds,
          endSeconds: print.endSeconds - startSeconds,
        }));
    },
    async [Symbol.asyncDispose]() {},
  };
  const tracker = createSpeakerTracker({ model, run });
  const said: (number | undefined)[] = [];
  const labels: (number | undefined)[] = [];
  let revisions = 0;
  for (const [index, { startSeconds, endSeconds }] of turns.entries()) {
    at = index;
    await tracker.add(new Float32Array((endSeconds - startSeconds) * pcmSampleRate), startSeconds);
    said[index] = tracker.labelOf(startSeconds, endSeconds);
    labels[index] = said[index];
    for (const revision of tracker.revisions()) {
      labels[turns.findIndex((turn) => turn.startSeconds === revision.startSeconds)] = revision.speaker;
      revisions++;
    }
  }
  return { said, labels, revisions };
}
