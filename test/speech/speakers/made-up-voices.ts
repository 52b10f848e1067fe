import { printStretches } from '../../../src/speech/speakers/print-stretches.ts';
import type { VoicePrint } from '../../../src/speech/speakers/speaker-model.ts';
import type { SpokenStretch } from '../../../src/speech/windows/speech-window.ts';

export type MadeUpTurn = SpokenStretch & { voice: number };

/** A seeded source of numbers from a normal distribution. */
export function createNormals(seed: number): () => number {
  let state = seed;
  const uniform = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state + 0.5) / 2 ** 32;
  };
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

/** Turns of random length, one after another with short pauses; the voices take turns at random. */
export function makeTurns(seconds: number, voices: number, seed = 1): MadeUpTurn[] {
  const normal = createNormals(seed);
  const turns: MadeUpTurn[] = [];
  let voice = 0;
  for (let start = 0.5; start < seconds; ) {
    const end = start + 1.5 + Math.abs(normal()) * 3;
    turns.push({ startSeconds: start, endSeconds: end, voice });
    start = end + 0.4;
    voice = voices > 1 ? (voice + 1 + (Math.floor(Math.abs(normal()) * 7) % (voices - 1))) % voices : 0;
  }
  return turns;
}

/** Prints as a network would give them: each voice has a direction of its own, and each print strays from it by `noise`. */
export function makePrints(turns: readonly MadeUpTurn[], noise: number, seed = 1): VoicePrint[] {
  const width = 64;
  const normal = createNormals(seed);
  const known = new Map<number, number[]>();
  const directionOf = (voice: number) => {
    const direction = known.get(voice) ?? Array.from({ length: width }, normal);
    known.set(voice, direction);
    return direction;
  };
  return turns.flatMap(({ voice, ...stretch }) =>
    printStretches([stretch], Number.POSITIVE_INFINITY).map((place) => {
      const strayed = directionOf(voice).map((value) => value + noise * normal());
      const length = Math.hypot(...strayed);
      return { ...place, direction: Float32Array.from(strayed, (value) => value / length) };
    }),
  );
}
