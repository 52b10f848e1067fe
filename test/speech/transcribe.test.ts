import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pcmSampleRate } from '../../src/audio/pcm.ts';
import { ServiceError } from '../../src/errors/service-error.ts';
import type { RunOptions } from '../../src/pool/dispatcher.ts';
import type { TranscribeOptions } from '../../src/speech/transcribe.ts';
import { transcribe } from '../../src/speech/transcribe.ts';
import { voiceFrameSamples } from '../../src/speech/windows/voice/voice-activity.ts';
import type { WindowJob, WindowResult } from '../../src/speech/windows/window-messages.ts';
import { inChunks } from '../audio/fixtures.ts';
import { toWave } from '../support/wave.ts';
import { recognisedSegment, recognisedWindow } from './recognised.ts';
import { scriptedVoice } from './voice-script.ts';

test('audio is announced before it is analysed, up to the length of the recording', async () => {
  const announced: number[] = [];
  const durationSeconds = await run({
    onDecoded: async (seconds) => void announced.push(seconds),
    onAnalyse: (seconds) => assert(announced.at(-1)! >= seconds),
  });
  assert.equal(durationSeconds, 5);
  assert.equal(announced.at(-1), 5);
  assert(announced.length >= 5 && announced.every((seconds, i) => i === 0 || seconds > announced[i - 1]!));
});

test('a refusal of what was announced ends the work, with its own reason', async () => {
  let analysed = 0;
  const refused = run({
    onDecoded: async (seconds) => {
      if (seconds > 2) throw new ServiceError('quota_exceeded');
    },
    onAnalyse: (seconds) => {
      analysed = seconds;
    },
  });
  await assert.rejects(refused, { code: 'quota_exceeded' });
  assert(analysed <= 2, `${analysed} s were analysed`);
});

test('a recording of one window is more urgent than the windows of a longer one', async () => {
  assert.deepEqual(await urgencies(5), [['interactive', 'interactive']]);
  assert.deepEqual(await urgencies(70), [
    ['file', 'file'],
    ['file', 'file'],
    ['file', 'file'],
  ]);
});

test('a short recording for which nobody waits is as urgent as a long one', async () => {
  assert.deepEqual(await urgencies(5, { hurried: false }), [['file', 'file']]);
});

/** The urgency of each window of a recording in which somebody speaks all the time, and the queue in which it waits. */
async function urgencies(
  seconds: number,
  options: Pick<TranscribeOptions, 'hurried'> = {},
): Promise<[string, string][]> {
  const found: [string, string][] = [];
  const segments = transcribe(
    inChunks(toWave(new Float32Array(seconds * pcmSampleRate))),
    { language: 'en-US', ...options },
    {
      dispatcher: {
        async run({ urgency, audio }: WindowJob, { priority }: RunOptions): Promise<WindowResult> {
          found.push([urgency, priority]);
          const whole = recognisedSegment({ endSeconds: audio.length / pcmSampleRate });
          return { recognised: recognisedWindow([whole]) };
        },
        async [Symbol.asyncDispose]() {},
      },
      voice: scriptedVoice(new Array(Math.ceil((seconds * pcmSampleRate) / voiceFrameSamples)).fill(0.99)),
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
  for await (const _ of segments);
  return found;
}

type Run = Pick<TranscribeOptions, 'onDecoded'> & { onAnalyse(totalSeconds: number): void };

/** Five seconds of silence, in which nothing is ever recognised. */
async function run({ onAnalyse, ...options }: Run): Promise<number> {
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
        open: () => ({ push: analyse, end: async () => new Float32Array(1) }),
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

  async function analyse(samples: Float32Array): Promise<Float32Array> {
    analysed += samples.length;
    onAnalyse(analysed / pcmSampleRate);
    return new Float32Array(Math.floor(samples.length / voiceFrameSamples));
  }
}
