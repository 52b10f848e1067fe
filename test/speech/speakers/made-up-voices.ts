import { printStretches } from '../../../src/speech/speakers/print-stretches.ts';
import type { VoicePrint } from '../../../src/speech/speakers/speaker-model.ts';
import type { SpokenStretch } from '../../../src/speech/windows/speech-window.ts';
import { seededNumbers } from '../../support/seeded-numbers.ts';

export type MadeUpTurn = SpokenStretch & { voice: number };

/** A seeded source of numbers from a normal distribution. */
export function createNormals(seed: number): () => number {
  const next = seededNumbers(seed);
  const uniform = () => next() + 2 ** -33; // never 0, which has no logarithm
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

/** Prints as a network would give them: each voice has a embedding of its own, and each print strays from it by `noise`. */
export function makePrints(turns: readonly MadeUpTurn[], noise: number, seed = 1): VoicePrint[] {
  const width = 64;
  const normal = createNormals(seed);
  const known = new Map<number, number[]>();
  const embeddingOf = (voice: number) => {
    const embedding = known.get(voice) ?? Array.from({ length: width }, normal);
    known.set(voice, embedding);
    return embedding;
  };
  return turns.flatMap(({ voice, ...stretch }) =>
    printStretches([stretch], Number.POSITIVE_INFINITY).map((printed) => {
      const strayed = embeddingOf(voice).map((value) => value + noise * normal());
      const length = Math.hypot(...strayed);
      return { ...printed, embedding: Float32Array.from(strayed, (value) => value / length) };
    }),
  );
}
