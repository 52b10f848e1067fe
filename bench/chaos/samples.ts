import { readFile } from 'node:fs/promises';
import { pcmSampleRate } from '../../src/audio/pcm.ts';
import { toLinear16 } from '../../src/audio/samples/linear16.ts';
import { clearlySpoken, createClips, createRepeatedSpeech, toWave } from '../service/clips.ts';

/** A file to send, before and after its text is known. */
export type Sample = { name: string; bytes: Uint8Array };
export type KnownSample = Sample & { text: string; milliseconds: number };

export type Samples<Each> = { short: Each[]; long: Each[] };

const folder = new URL('../../test/fixtures/audio/', import.meta.url);
const containers = ['speech-22k-vbr.mp3', 'speech-opus.webm', 'speech-8k-mulaw.wav', 'two-sentences.flac'];
const clipSeconds = 3;
const longSeconds = 45;

export async function createSamples(): Promise<Samples<Sample>> {
  const clear = (await createClips(clipSeconds)).filter(({ name }) => clearlySpoken.includes(name));
  const clips = clear.map(({ name, wave }) => ({ name, bytes: wave }));
  const files = containers.map(async (name) => ({ name, bytes: await readFile(new URL(name, folder)) }));
  const long = await toWave(await createRepeatedSpeech(longSeconds, clearlySpoken));
  return {
    short: [...clips, ...(await Promise.all(files))],
    long: [{ name: `${longSeconds} s of speech`, bytes: long }],
  };
}

/** What somebody says into a live stream: a sentence, and the pause after it. */
export async function createSpokenSentence(): Promise<Uint8Array> {
  const sentence = await createRepeatedSpeech(4, clearlySpoken);
  const samples = new Float32Array(sentence.length + 1.5 * pcmSampleRate);
  samples.set(sentence);
  return toLinear16(samples);
}
