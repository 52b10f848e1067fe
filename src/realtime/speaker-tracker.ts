import type { Pcm } from '../audio/pcm.ts';

/** Tells speakers apart while they speak. A session asks it about every final. */
export interface SpeakerTracker {
  /** Speech that has become final, in the order of the stream. */
  add(audio: Pcm, startSeconds: number): Promise<void>;
  labelOf(startSeconds: number, endSeconds: number): number | undefined;
  /** Stretches, as `labelOf` was asked about them, whose label has become another since the last call. */
  revisions(): { startSeconds: number; endSeconds: number; speaker: number }[];
  readonly speakers: number;
}
