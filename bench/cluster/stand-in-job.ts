/** A job module in the recogniser's place: each window takes a fixed time and no processor. */
import { setTimeout as sleep } from 'node:timers/promises';
import { pcmSampleRate } from '../../src/audio/pcm.ts';
import { unpackedAudio } from '../../src/audio/samples/packed-audio.ts';
import type { JobRunner } from '../../src/pool/process/job-runner.ts';
import type { ArrivedWindow, WindowJob, WindowResult } from '../../src/speech/windows/window-messages.ts';

export type StandInSettings = { costMs: number };

export async function createJobRunner({
  costMs,
}: StandInSettings): Promise<JobRunner<ArrivedWindow, WindowResult>> {
  return {
    async run({ audio }, signal) {
      if (costMs > 0) await sleep(costMs, undefined, { signal });
      return { recognised: heardIn(audio) };
    },
  };
}

/** As much as comes back from thirty seconds of speech. */
function heardIn(audio: ArrivedWindow['audio']) {
  // Unpacking belongs to what a window costs.
  const seconds = unpackedAudio(audio).length / pcmSampleRate;
  const tokens = Array.from({ length: 100 }, (_, index) => index);
  const logProbabilities = tokens.map(() => -0.1);
  const text = 'a sentence of fixed length '.repeat(12);
  const segment = { startSeconds: 0, endSeconds: seconds, closed: true, text, tokens, logProbabilities };
  return {
    language: 'en' as const,
    noSpeechProbability: 0,
    temperature: 0,
    averageLogProbability: -0.1,
    compressionRatio: 1,
    looped: false,
    tokens,
    segments: [{ ...segment, words: [] }],
  };
}

/** A window as it leaves a file: noise, since silence would travel lighter than speech. */
export function standInWindow(seconds: number): WindowJob {
  const audio = Float32Array.from({ length: seconds * pcmSampleRate }, () => Math.random() - 0.5);
  return {
    audio,
    speech: [],
    language: 'mixed',
    promptTokens: [],
    temperature: 0,
    words: false,
    context: 'short',
    urgency: 'file',
    mayRetry: true,
    draft: [],
  };
}
