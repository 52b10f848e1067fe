import { decodeAudio } from './decode-audio.ts';
import { createFlacPcm, type FlacPcm } from './flac/flac-pcm.ts';
import type { Pcm } from './pcm.ts';

/** Where the audio of streams is decoded: on this thread, or in processes. */
export interface StreamDecoding {
  /** A stream in a container: webm from a browser's recorder, ogg, mp3 … */
  decodeContainer(bytes: AsyncIterable<Uint8Array>, options: { signal?: AbortSignal }): AsyncGenerator<Pcm>;
  openFlac(): FlacPcm;
}

export const decodingHere: StreamDecoding = { decodeContainer: decodeAudio, openFlac: createFlacPcm };
