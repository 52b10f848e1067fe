import type { Stretch } from '../window-plan.ts';
import { voiceFrameSamples } from './voice-activity.ts';

/** How sure the voice detector was that somebody speaks in these stretches. */
export function voiceCertainty(stretches: readonly Stretch[], probability: (frame: number) => number) {
  let frames = 0;
  let sum = 0;
  let peakProbability = 0;
  for (const { start, end } of stretches) {
    for (let frame = Math.floor(start / voiceFrameSamples); frame * voiceFrameSamples < end; frame++) {
      frames++;
      sum += probability(frame);
      peakProbability = Math.max(peakProbability, probability(frame));
    }
  }
  return { peakProbability, meanProbability: frames > 0 ? sum / frames : 0 };
}
