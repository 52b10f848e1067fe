import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { decodeAudio } from '../../../src/audio/decode-audio.ts';
import { pcmSampleRate } from '../../../src/audio/pcm.ts';
import { findSpeakerNetwork } from '../../../src/model/speaker-network.ts';
import { createBuiltInSpeakerModel } from '../../../src/speech/speakers/built-in-speaker-model.ts';
import { whoSpoke } from '../../../src/speech/speakers/who-spoke.ts';

const model = createBuiltInSpeakerModel({ findNetwork: findSpeakerNetwork, threads: 1 });
after(() => model[Symbol.asyncDispose]());
const run = { requestId: 'request', priority: 'file' } as const;

test('prints cover the speech, have length one, and are the same every time', {
  timeout: 120_000,
}, async () => {
  const audio = await decode('speech-16k.wav');
  const speech = [{ startSeconds: 0.2, endSeconds: 3.4 }];
  const prints = await model.embed({ audio, speech }, run);
  assert.equal(prints.length, 5);
  assert.equal(prints[0]?.startSeconds, 0.2);
  assert(Math.abs(prints.at(-1)!.endSeconds - 3.4) < 1e-6);
  for (const { embedding } of prints) assert(Math.abs(Math.hypot(...embedding) - 1) < 1e-3);
  assert.deepEqual(await model.embed({ audio, speech }, run), prints);
  assert.deepEqual(await model.embed({ audio, speech: [] }, run), []);
});

test('two voices that take turns are two speakers, and each alone is one', { timeout: 120_000 }, async () => {
  const voices = [await decode('speech-16k.wav'), await decode('synthetic-voice.flac')];
  const speakers = async (order: number[]) => {
    const pieces = order.map((voice) => voices[voice]!.subarray(0, 3.5 * pcmSampleRate));
    const audio = new Float32Array(pieces.length * 4 * pcmSampleRate);
    for (const [index, piece] of pieces.entries()) audio.set(piece, index * 4 * pcmSampleRate);
    const speech = pieces.map((_, index) => ({ startSeconds: index * 4, endSeconds: index * 4 + 3.5 }));
    const { sameSpeakerLikeness } = model;
    const turns = await whoSpoke(await model.embed({ audio, speech }, run), speech, { sameSpeakerLikeness });
    return order.map((_, index) => {
      const middle = index * 4 + 1.75;
      return turns.find((turn) => turn.startSeconds <= middle && turn.endSeconds >= middle)?.speaker;
    });
  };
  assert.deepEqual(await speakers([0, 1, 0, 1, 1, 0]), [0, 1, 0, 1, 1, 0]);
  assert.deepEqual(await speakers([0, 0, 0]), [0, 0, 0]);
  assert.deepEqual(await speakers([1, 1, 1]), [0, 0, 0]);
});

async function decode(name: string): Promise<Float32Array> {
  const file = fileURLToPath(new URL(`../../fixtures/audio/${name}`, import.meta.url));
  const chunks: number[] = [];
  for await (const chunk of decodeAudio(createReadStream(file))) chunks.push(...chunk);
  return Float32Array.from(chunks);
}
