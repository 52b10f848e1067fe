import { type Pcm, pcmSampleRate } from '../../../audio/pcm.ts';
import { SpeechSpanTracker } from '../speech-spans.ts';
import { type HeardBlock, hearBlock, type VoiceActivity, voiceFrameSamples } from './voice-activity.ts';

/** A recording in which nobody was heard for longer than this is not heard again. */
const longestSamples = 10 * pcmSampleRate;
/** Half of full scale: clear speech. Quieter recordings are made as loud. */
const clearPeak = 0.5;
/** From a state of nought the network needs some frames to find a voice; after a third of a second of silence it does not. */
const silentFrames = 10;
/** Words that were missed reach 0.9 the second time, nine in ten of them; of real sounds without words, nine in ten stay below 0.65. */
const sureProbability = 0.75;

/**
 * A short recording in which nobody was heard is heard again, louder and as if after a silence: a single word that begins with the first
 * sample, or was spoken far away, is missed the first time. Blocks are held back until somebody was heard.
 */
export async function* withSecondHearing(
  blocks: AsyncIterable<HeardBlock>,
  voice: VoiceActivity,
): AsyncGenerator<HeardBlock> {
  const held: HeardBlock[] = [];
  const spans = new SpeechSpanTracker();
  let samples = 0;
  let isDecided = false;
  for await (const block of blocks) {
    samples += block.samples.length;
    held.push(block);
    isDecided ||= spans.push(block.probabilities).length > 0 || spans.open !== undefined;
    if (isDecided || samples > longestSamples) {
      isDecided = true;
      yield* held.splice(0);
    }
  }
  if (isDecided || spans.end(samples).length > 0) yield* held;
  else yield* (await hearAgain(held, voice)) ?? held;
}

/** The same blocks with other probabilities; undefined if nobody is heard this time either. */
async function hearAgain(
  held: readonly HeardBlock[],
  voice: VoiceActivity,
): Promise<HeardBlock[] | undefined> {
  const gain = gainOf(held);
  if (gain === undefined) return undefined;
  const stream = voice.open();
  await stream.push(new Float32Array(silentFrames * voiceFrameSamples));
  const spans = new SpeechSpanTracker();
  const found: { meanProbability: number }[] = [];
  const again: HeardBlock[] = [];
  for (const { samples } of held) {
    const louder = samples.map((sample) => sample * gain);
    const probabilities = await hearBlock(stream, louder);
    found.push(...spans.push(probabilities));
    again.push({ samples, probabilities });
  }
  found.push(...spans.end(Number.POSITIVE_INFINITY));
  return found.some(({ meanProbability }) => meanProbability >= sureProbability) ? again : undefined;
}

/** Undefined for digital silence. */
function gainOf(held: readonly HeardBlock[]): number | undefined {
  const peak = Math.max(...held.map(({ samples }) => peakOf(samples)));
  return peak > 0 ? Math.max(1, clearPeak / peak) : undefined;
}

function peakOf(samples: Pcm): number {
  return samples.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0);
}
