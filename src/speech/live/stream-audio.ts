import { joinSamples } from '../../audio/audio-block.ts';
import type { Pcm } from '../../audio/pcm.ts';
import { voiceFrameSamples } from '../windows/voice/voice-activity.ts';

/** The latest audio of a stream and its voice probabilities, by sample and frame of the stream. */
export type StreamAudio = {
  append(samples: Pcm): void;
  addProbabilities(probabilities: Float32Array): void;
  readonly totalSamples: number;
  /** The samples of the stretch that are still kept. */
  read(start: number, end: number): Pcm;
  probability(frame: number): number;
  forgetBefore(sample: number): void;
};

export function createStreamAudio(): StreamAudio {
  let chunks: { start: number; samples: Pcm }[] = [];
  let probabilities: number[] = [];
  let firstFrame = 0;
  let total = 0;

  return {
    append(samples) {
      chunks.push({ start: total, samples });
      total += samples.length;
    },
    addProbabilities(added) {
      for (const probability of added) probabilities.push(probability);
    },
    get totalSamples() {
      return total;
    },
    read(start, end) {
      const parts = chunks
        .filter((chunk) => chunk.start < end && chunk.start + chunk.samples.length > start)
        .map((chunk) => chunk.samples.subarray(Math.max(0, start - chunk.start), end - chunk.start));
      return joinSamples(parts);
    },
    probability: (frame) => probabilities[frame - firstFrame] ?? 0,
    forgetBefore(sample) {
      const kept = chunks.findIndex((chunk) => chunk.start + chunk.samples.length > sample);
      if (kept > 0) chunks = chunks.slice(kept);
      const frames = Math.min(Math.floor(sample / voiceFrameSamples) - firstFrame, probabilities.length);
      if (frames <= 0) return;
      probabilities = probabilities.slice(frames);
      firstFrame += frames;
    },
  };
}
