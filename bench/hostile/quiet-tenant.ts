import { setTimeout as sleep } from 'node:timers/promises';
import { pcmSampleRate } from '../../src/audio/pcm.ts';
import { toLinear16 } from '../../src/audio/samples/linear16.ts';
import { median } from '../median.ts';
import { quantile } from '../realtime/caption-figures.ts';
import { playRecording } from '../realtime/recording.ts';
import { createClient } from '../service/client.ts';
import { clearlySpoken, createRepeatedSpeech, toWave } from '../service/clips.ts';
import type { Target } from './attack.ts';

/** What somebody sees who does nothing but their work. */
export type Experience = {
  /** The slowest but one of a hundred account answers, in milliseconds. */
  accountP99Ms: number;
  accountAnswers: number;
  /** The middle one of the 3 s clips, in milliseconds. */
  clipMs: number;
  clips: number;
  /** What the finals of the stream said, one line each. */
  finals: string[];
  /** Whatever was not answered as it should be. */
  faults: string[];
};

export type QuietTenant = Disposable & {
  /** One stream from its first to its last word, and clips and account calls as long as it lasts. */
  work(): Promise<Experience>;
};

const accountEveryMs = 50;
const clipSeconds = 3;
const betweenClipsMs = 250;
const streamSeconds = 14;
const pauseSeconds = 1.5;
const endpointingMs = 500;
/** Whoever waited as long as this has gone elsewhere. */
const patienceMs = 60_000;

export async function createQuietTenant(target: Target): Promise<QuietTenant> {
  const client = createClient(target);
  const clip = await toWave((await createRepeatedSpeech(clipSeconds, clearlySpoken)).subarray());
  const samples = new Float32Array((streamSeconds + pauseSeconds) * pcmSampleRate);
  samples.set(await createRepeatedSpeech(streamSeconds, clearlySpoken));
  const spoken = { bytes: toLinear16(samples), seconds: streamSeconds + pauseSeconds };
  return {
    async work() {
      const faults: string[] = [];
      const accountMs: number[] = [];
      const clipMs: number[] = [];
      let isOver = false;
      const timed = async (
        times: number[],
        what: string,
        send: () => Promise<{ status: number; body: string }>,
      ) => {
        const startedAt = performance.now();
        try {
          const { status, body } = await patiently(send());
          times.push(performance.now() - startedAt);
          if (status !== 200) faults.push(`${what}: ${status} ${body}`);
        } catch (error) {
          faults.push(`${what}: ${(error as Error).message}`);
        }
      };
      const accounts: Promise<void>[] = [];
      // On time, whether or not the last one has been answered: a service that stands still is asked all the same.
      const asking = setInterval(() => {
        accounts.push(timed(accountMs, 'account', () => client.get('/v1/account', target.key)));
      }, accountEveryMs);
      const transcribing = (async () => {
        while (!isOver) {
          await timed(clipMs, 'clip', () => client.transcribe(clip, target.key));
          await sleep(betweenClipsMs);
        }
      })();
      const finals: string[] = [];
      try {
        const seen = await patiently(playRecording(target, spoken, endpointingMs));
        for (const { event } of seen)
          if (event.type === 'transcript' && event.is_final && event.text.trim() !== '')
            finals.push(event.text.trim());
      } catch (error) {
        faults.push(`stream: ${(error as Error).message}`);
      }
      isOver = true;
      clearInterval(asking);
      await Promise.all([transcribing, ...accounts]);
      return {
        accountP99Ms: quantile(accountMs, 0.99),
        accountAnswers: accountMs.length,
        clipMs: median(clipMs) ?? Number.NaN,
        clips: clipMs.length,
        finals,
        faults,
      };
    },
    [Symbol.dispose]: () => client[Symbol.dispose](),
  };
}

function patiently<Result>(answer: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`nothing came for ${patienceMs / 1000} s`)), patienceMs);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
