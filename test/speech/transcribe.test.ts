import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pcmSampleRate } from '../../src/audio/pcm.ts';
import { ServiceError } from '../../src/errors/service-error.ts';
import type { TranscribeOptions } from '../../src/speech/transcribe.ts';
import { transcribe } from '../../src/speech/transcribe.ts';
import { voiceFrameSamples } from '../../src/speech/windows/voice-activity.ts';
import { inChunks } from '../audio/fixtures.ts';
import { toWave } from '../support/wave.ts';

test('audio is announced before it is listened to, up to the length of the recording', async () => {
  const announced: number[] = [];
  const durationSeconds = await run({
    onDecoded: async (seconds) => void announced.push(seconds),
    onListen: (seconds) => assert(announced.at(-1)! >= seconds),
  });
  assert.equal(durationSeconds, 5);
  assert.equal(announced.at(-1), 5);
  assert(announced.length >= 5 && announced.every((seconds, i) => i === 0 || seconds > announced[i - 1]!));
});

test('a refusal of what was announced ends the work, with its own reason', async () => {
  let listened = 0;
  const refused = run({
    onDecoded: async (seconds) => {
      if (seconds > 2) throw new ServiceError('quota_exceeded');
    },
    onListen: (seconds) => {
      listened = seconds;
    },
  });
  await assert.rejects(refused, { code: 'quota_exceeded' });
  assert(listened <= 2, `${listened} s were listened to`);
});

type Run = Pick<TranscribeOptions, 'onDecoded'> & { onListen(totalSeconds: number): void };

/** Five seconds of silence, in which nothing is ever recognised. */
async function run({ onListen, ...options }: Run): Promise<number> {
  let analysed = 0;
  const segments = transcribe(
    inChunks(toWave(new Float32Array(5 * pcmSampleRate))),
    { language: 'mixed', ...options },
    {
      dispatcher: {
        run: () => assert.fail('silence needs no recognition'),
        async [Symbol.asyncDispose]() {},
      },
      voice: {
        open: () => ({ push: listen, end: async () => new Float32Array(1) }),
        async [Symbol.asyncDispose]() {},
      },
      speakerModel: {
        sameSpeakerLikeness: 0.5,
        embed: () => assert.fail('nobody asked for speakers'),
        async [Symbol.asyncDispose]() {},
      },
      tokenisePrompt: async () => [],
      windowsAtOnce: 1,
      taiwanese: false,
    },
  );
  const { value, done } = await segments.next();
  assert(done);
  return value.durationSeconds;

  async function listen(samples: Float32Array): Promise<Float32Array> {
    analysed += samples.length;
    onListen(analysed / pcmSampleRate);
    return new Float32Array(Math.floor(samples.length / voiceFrameSamples));
  }
}
