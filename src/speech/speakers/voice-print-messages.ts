import type { SpokenStretch } from '../windows/speech-window.ts';

/** What the process that takes voice prints is told when it starts. */
export type VoicePrintSettings = { graphPath: string; threads: number };

export type VoicePrintJob = { audio: Float32Array; stretches: SpokenStretch[] };

/** One embedding after another, in the order of the stretches. */
export type VoicePrintResult = { embeddings: Float32Array };

export const embeddingWidth = 128;
