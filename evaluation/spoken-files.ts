import { readFileSync } from 'node:fs';

const folder = new URL('../test/fixtures/audio/', import.meta.url);

/** One sentence in every container; those named "start" hold its first two seconds. */
export const speechFiles = [
  'speech-16k.wav',
  'speech-start-44k-stereo-s24.wav',
  'speech-start-f32.wav',
  'speech-8k-mulaw.wav',
  'speech-8k-alaw.wav',
  'speech-44k-stereo-cbr.mp3',
  'speech-22k-vbr.mp3',
  'speech-opus.webm',
  'speech-vorbis.webm',
  'speech-opus-live.webm',
  'speech-flac.mkv',
  'speech-opus.ogg',
  'speech-vorbis.ogg',
  'speech-flac.ogg',
  'speech.flac',
];

export function fixture(name: string): Uint8Array {
  return new Uint8Array(readFileSync(new URL(name, folder)));
}
