import { pcmSampleRate } from '../../audio/pcm.ts';
import { voiceFrameSamples } from './voice-activity.ts';
import type { Stretch } from './window-plan.ts';

/** How long somebody speaks in these stretches, and how sure the voice detector was of it. */
export function voiceCertainty(stretches: readonly Stretch[], probability: (frame: number) => number) {
  let samples = 0;
  let frames = 0;
  let sum = 0;
  let peakProbability = 0;
  for (const { start, end } of stretches) {
    samples += end - start;
    for (let frame = Math.floor(start / voiceFrameSamples); frame * voiceFrameSamples < end; frame++) {
      frames++;
      sum += probability(frame);
      peakProbability = Math.max(peakProbability, probability(frame));
    }
  }
  return {
    speechSeconds: samples / pcmSampleRate,
    peakProbability,
    meanProbability: frames > 0 ? sum / frames : 0,
  };
}
