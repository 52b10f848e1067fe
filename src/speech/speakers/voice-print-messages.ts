import type { SpokenStretch } from '../windows/speech-window.ts';

/** What the process that hears voices is told when it starts. */
export type VoicePrintSettings = { graphPath: string; threads: number };

export type VoicePrintJob = { audio: Float32Array; places: SpokenStretch[] };

/** One direction after the other, in the order of the places. */
export type VoicePrintResult = { directions: Float32Array };

export const directionWidth = 128;
