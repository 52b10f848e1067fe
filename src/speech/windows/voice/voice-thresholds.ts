import { pcmSampleRate } from '../../../audio/pcm.ts';

/** When a voice counts as speech, for files and streams alike. Probabilities are the voice detector's, lengths are in samples. */

/** Speech begins with a frame that reaches the first, and goes on with every frame that reaches the second. */
export const enterProbability = 0.5;
export const stayProbability = 0.35;
/**
 * The sum of the frames' probabilities that makes a sound speech: a quarter of a second of doubtful frames, or a shorter word spoken
 * clearly. Struck and bowed tones excite the network for two or three frames at their onset and stay below it.
 */
export const enoughEvidence = 2.75;
/** A silence this long ends a stretch of speech. */
export const splitSamples = 0.3 * pcmSampleRate;
/** The silence around speech that is kept with it, since soft beginnings and endings hide there. */
export const paddingBefore = 0.2 * pcmSampleRate;
export const paddingAfter = 0.3 * pcmSampleRate;
/** Tones have not been seen to reach it, and of a thousand spans of speech four stay below it. Only those are examined for tones. */
export const certainProbability = 0.98;
