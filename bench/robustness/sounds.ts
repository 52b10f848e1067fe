// Sounds in which nobody speaks, as functions from time to level: long ones are made while they are listened to.
import { sampleRate } from '../../evaluation/decoded-audio.ts';

export type Sound = { name: string; levelAt(seconds: number): number };

export const sounds: Sound[] = [
  { name: 'silence', levelAt: () => 0 },
  whiteNoise(-30),
  { name: 'hum', levelAt: humAt },
  { name: 'music', levelAt: musicAt },
];

/** The sound in blocks of a second. */
export function* soundBlocks({ levelAt }: Sound, seconds: number): Generator<Float32Array> {
  for (let second = 0; second < seconds; second += 1)
    yield Float32Array.from({ length: sampleRate }, (_, index) => levelAt(second + index / sampleRate));
}

/** Evenly spread levels with a mean power so far from full scale; the same in every run. */
function whiteNoise(decibels: number): Sound {
  const peak = Math.sqrt(3) * 10 ** (decibels / 20);
  let state = 1;
  return {
    name: 'white noise',
    levelAt() {
      // Numerical Recipes' linear congruential generator.
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return (state / 2 ** 31 - 1) * peak;
    },
  };
}

/** The mains with its harmonics, odd ones the stronger. */
function humAt(seconds: number): number {
  let level = 0;
  for (let harmonic = 1; harmonic <= 8; harmonic += 1)
    level += ((harmonic % 2 === 1 ? 0.05 : 0.02) / harmonic) * wave(50 * harmonic * seconds);
  return level;
}

const chordSeconds = 2;
const noteSeconds = 0.25;
/** Semitones above middle C: C, A minor, F, G. */
const chords = [
  [0, 4, 7],
  [-3, 0, 4],
  [-7, -3, 0],
  [-5, -1, 2],
];
/** Every round of chords is in another key. */
const keys = [0, 5, -2, 3, -4];

/** Chords that swell and fade under plucked notes, all with vibrato. */
function musicAt(seconds: number): number {
  const bar = Math.floor(seconds / chordSeconds);
  const chord = chords[bar % chords.length]!;
  const key = keys[Math.floor(bar / chords.length) % keys.length]!;
  const swell = Math.sin((Math.PI * (seconds % chordSeconds)) / chordSeconds);
  const note = Math.floor(seconds / noteSeconds);
  const pluckedSeconds = seconds % noteSeconds;
  const pluck = Math.min(1, pluckedSeconds / 0.005) * Math.exp(-pluckedSeconds / 0.1);
  let level = 0.15 * pluck * toneAt(seconds, key + 12 + chord[note % chord.length]!);
  for (const semitones of chord) level += 0.06 * swell * toneAt(seconds, key + semitones);
  return level;
}

const vibratoHertz = 5.5;
const vibratoDepth = 0.006;

function toneAt(seconds: number, semitones: number): number {
  const hertz = 261.63 * 2 ** (semitones / 12);
  const sway = (vibratoDepth / (2 * Math.PI * vibratoHertz)) * wave(vibratoHertz * seconds);
  const cycles = hertz * (seconds + sway);
  return wave(cycles) + 0.4 * wave(2 * cycles) + 0.15 * wave(3 * cycles);
}

function wave(cycles: number): number {
  return Math.sin(2 * Math.PI * cycles);
}
