import type { RunOptions } from '../../pool/dispatcher.ts';
import type { SpokenStretch } from '../windows/speech-window.ts';

/** How the voice of a short stretch sounds. */
export type VoicePrint = {
  startSeconds: number;
  endSeconds: number;
  /** A vector of length one; those of one voice point in like directions. */
  embedding: Float32Array;
};

/** What the model is given at once: a window of the recording and where in it somebody speaks. */
export type SpeakerWindow = { audio: Float32Array; speech: SpokenStretch[] };

/**
 * A network that tells voices apart. It may be given windows in any order and several at once; who speaks when in the whole
 * recording is decided from the prints. A model that separates voices by itself gives one print for each turn it finds.
 */
export interface SpeakerModel extends AsyncDisposable {
  /** Times are seconds from the start of the window. */
  embed(window: SpeakerWindow, options: RunOptions): Promise<VoicePrint[]>;
  /** How alike (the cosine) two groups of prints must be, on average, to be one speaker. */
  readonly sameSpeakerLikeness: number;
}
