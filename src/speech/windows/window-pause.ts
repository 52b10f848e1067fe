import { type Pcm, pcmSampleRate } from '../../audio/pcm.ts';
import { voiceFrameSamples } from './voice/voice-activity.ts';

const step = pcmSampleRate / 100;
/** Longer than the closure of a plosive, so that the pause between two words wins over the one inside "happy". */
const pauseSteps = 12;

/**
 * The sample of running speech that is most like a pause: the middle of the 120 ms in which voice probability × loudness is
 * least. `start` is where the audio begins in the recording.
 */
export function findPause(audio: Pcm, start: number, probability: (frame: number) => number): number {
  const steps = Math.floor(audio.length / step);
  if (steps <= pauseSteps) return start + audio.length;
  const voice = new Float64Array(steps);
  for (let i = 0; i < steps; i++) {
    const middle = start + i * step + step / 2;
    voice[i] = loudness(audio, i * step) * probability(Math.floor(middle / voiceFrameSamples));
  }
  let sum = 0;
  let least = Number.POSITIVE_INFINITY;
  let best = 0;
  for (let i = 0; i < steps; i++) {
    sum += voice[i]! - (i >= pauseSteps ? voice[i - pauseSteps]! : 0);
    // Of equal pauses the last one: it makes the fullest window.
    if (i >= pauseSteps - 1 && sum <= least + 1e-9)
      [least, best] = [Math.min(sum, least), i + 1 - pauseSteps];
  }
  return start + (best + pauseSteps / 2) * step;
}

function loudness(audio: Pcm, from: number): number {
  let energy = 0;
  for (let i = from; i < from + step; i++) energy += audio[i]! ** 2;
  return Math.sqrt(energy / step);
}
