/** Sounds for the voice-activity tests: what is not speech must stay without spans. */

import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { decodeAudio } from '../../src/audio/decode-audio.ts';
import { type Pcm, pcmSampleRate } from '../../src/audio/pcm.ts';

export async function readFixture(name: string): Promise<Pcm> {
  const path = new URL(`../fixtures/audio/${name}`, import.meta.url);
  const samples: number[] = [];
  for await (const chunk of decodeAudio(createReadStream(path))) samples.push(...chunk);
  return Float32Array.from(samples);
}

/** When each sentence of a fixture is spoken. */
export async function readSentenceTimes(
  name: string,
): Promise<{ startSeconds: number; endSeconds: number }[]> {
  return JSON.parse(await readFile(new URL(`../fixtures/audio/${name}`, import.meta.url), 'utf8')).sentences;
}

export function silence(seconds: number): Pcm {
  return new Float32Array(Math.round(seconds * pcmSampleRate));
}

export function whiteNoise(seconds: number, decibels: number): Pcm {
  const random = randomNumbers(1);
  const level = 10 ** (decibels / 20);
  return silence(seconds).map(() => {
    const radius = Math.sqrt(-2 * Math.log(1 - random()));
    return clip(level * radius * Math.cos(2 * Math.PI * random()));
  });
}

export function mainsHum(seconds: number, hertz: number): Pcm {
  const samples = silence(seconds);
  for (let harmonic = 1; harmonic <= 10; harmonic++) {
    addTone(samples, { start: 0, seconds, hertz: hertz * harmonic, level: 0.1 / harmonic });
  }
  return samples;
}

/** Held chords, a struck arpeggio and a bowed melody with vibrato, together and apart. */
export function toneMusic(seconds: number): Pcm {
  const samples = silence(seconds);
  const third = seconds / 3;
  addChords(samples, 0, third);
  addArpeggio(samples, third, 2 * third);
  addMelody(samples, 2 * third, seconds);
  addChords(samples, 2.5 * third, seconds);
  return samples;
}

const harmony = [
  [60, 64, 67],
  [57, 60, 64],
  [65, 69, 72],
  [55, 59, 62, 65],
];

function addChords(samples: Pcm, from: number, to: number): void {
  for (let start = from, bar = 0; start < to; start += 2, bar++) {
    for (const key of harmony[bar % 4]!)
      addNote(samples, key, { start, seconds: 2, level: 0.06, attack: 0.02 });
  }
}

function addArpeggio(samples: Pcm, from: number, to: number): void {
  for (let start = from, step = 0; start < to; start += 0.25, step++) {
    const chord = harmony[Math.floor(step / 16) % 4]!;
    const key = chord[step % chord.length]! + 12 * (step % 2);
    addNote(samples, key, { start, seconds: 0.6, level: 0.2, attack: 0.005, decay: 6 });
  }
}

function addMelody(samples: Pcm, from: number, to: number): void {
  const random = randomNumbers(7);
  const scale = [57, 59, 60, 62, 64, 65, 67, 69, 71, 72];
  for (let start = from; start < to; ) {
    const seconds = 0.3 + 1.2 * random();
    const key = scale[Math.floor(random() * scale.length)]!;
    addNote(samples, key, { start, seconds, level: 0.1, attack: 0.08, vibrato: 0.012 });
    start += seconds;
  }
}

type Envelope = {
  start: number;
  seconds: number;
  level: number;
  attack?: number;
  decay?: number;
  vibrato?: number;
};

function addNote(samples: Pcm, key: number, envelope: Envelope): void {
  const hertz = 440 * 2 ** ((key - 69) / 12);
  for (let harmonic = 1; harmonic <= 8; harmonic++) {
    addTone(samples, { ...envelope, hertz: hertz * harmonic, level: envelope.level / harmonic ** 1.2 });
  }
}

function addTone(samples: Pcm, tone: Envelope & { hertz: number }): void {
  const { start, seconds, hertz, level, attack = 0, decay = 0, vibrato = 0 } = tone;
  const first = Math.round(start * pcmSampleRate);
  const count = Math.min(Math.round(seconds * pcmSampleRate), samples.length - first);
  let phase = 0;
  for (let i = 0; i < count; i++) {
    const at = i / pcmSampleRate;
    const rise = attack > 0 ? Math.min(1, at / attack, (seconds - at) / attack) : 1;
    phase += (2 * Math.PI * hertz * (1 + vibrato * Math.sin(2 * Math.PI * 5.5 * at))) / pcmSampleRate;
    samples[first + i] = clip(samples[first + i]! + level * rise * Math.exp(-decay * at) * Math.sin(phase));
  }
}

function clip(sample: number): number {
  return Math.max(-1, Math.min(1, sample));
}

/** Numerical Recipes' linear congruential generator: the same noise in every run. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
