import { createReadStream } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { streamWave } from '../../evaluation/wave-file.ts';
import { decodeAudio } from '../../src/audio/decode-audio.ts';
import { pcmSampleRate } from '../../src/audio/pcm.ts';

const folder = new URL('../../test/fixtures/audio/', import.meta.url);
const spoken = ['speech-16k.wav', 'two-sentences.flac', 'synthetic-voice.flac'];
/** Those of which even the smallest model writes the same text whichever way they are cut. */
export const clearlySpoken = ['speech-16k.wav', 'two-sentences.flac'];

export type Clip = { name: string; seconds: number; wave: Uint8Array };

/** One clip of each spoken recording of the project: its first seconds, or all of it and then silence. */
export async function createClips(seconds: number): Promise<Clip[]> {
  return Promise.all(
    spoken.map(async (name) => ({ name, seconds, wave: await toWave(await firstSeconds(name, seconds)) })),
  );
}

/** The recordings one after another, as often as it takes. */
export async function createRepeatedSpeech(seconds: number, names = spoken): Promise<Float32Array> {
  const samples = new Float32Array(seconds * pcmSampleRate);
  const recordings = await Promise.all(names.map((name) => firstSeconds(name, 10)));
  for (let at = 0, index = 0; at < samples.length; index++) {
    const recording = recordings[index % recordings.length]!.subarray(0, samples.length - at);
    samples.set(recording, at);
    at += recording.length;
  }
  return samples;
}

export function toWave(samples: Float32Array): Promise<Uint8Array> {
  return buffer(streamWave([samples], samples.length));
}

async function firstSeconds(name: string, seconds: number): Promise<Float32Array> {
  const samples = new Float32Array(seconds * pcmSampleRate);
  let at = 0;
  for await (const chunk of decodeAudio(createReadStream(new URL(name, folder)))) {
    samples.set(chunk.subarray(0, samples.length - at), at);
    at = Math.min(samples.length, at + chunk.length);
  }
  return samples;
}
