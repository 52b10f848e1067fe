import type { RunOptions } from '../../pool/dispatcher.ts';
import type { SpokenStretch } from '../windows/speech-window.ts';

/** How the voice of a short stretch sounds: voices alike point in like directions. */
export type VoicePrint = {
  startSeconds: number;
  endSeconds: number;
  /** Of length one. */
  direction: Float32Array;
};

/** What is listened to at once: a window of the recording and where in it somebody speaks. */
export type SpeakerWindow = { audio: Float32Array; speech: SpokenStretch[] };

/**
 * A network that tells voices apart. It hears windows in any order and several at once; whose voice is whose over the whole
 * recording is decided from the prints. A model that separates voices by itself gives one print for each turn it finds.
 */
export interface SpeakerModel extends AsyncDisposable {
  /** Times are seconds from the start of the window. */
  embed(window: SpeakerWindow, options: RunOptions): Promise<VoicePrint[]>;
  /** How alike (the cosine) two groups of prints must be, on average, to be one speaker. */
  readonly sameSpeakerLikeness: number;
}
