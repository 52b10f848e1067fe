import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeAudio, sampleRate } from '../evaluation/decoded-audio.ts';
import { writeWave } from '../evaluation/wave-file.ts';
import type { Sentence, SpeechSet } from './speech-sets.ts';

/** Pairs of sets whose languages follow one another within a recording. */
const pairs = [
  ['mandarin', 'taiwanese'],
  ['mandarin', 'english'],
  ['english', 'taiwanese'],
] as const;
const longestSeconds = 12;
const recordings = 40;
const edgeSilence = new Float32Array(Math.round(0.15 * sampleRate));

export function switchingNames(): string[] {
  return pairs.map(([first, second]) => `switch-${first}-${second}`);
}

/** The two sets that a switching one is made of, or nothing. */
export function pairOf(name: string): readonly [string, string] | undefined {
  return pairs.find(([first, second]) => name === `switch-${first}-${second}`);
}

/** Recordings of two sentences in two languages, 0.3 s apart, in either order, written into `folder`. */
export async function makeSwitchingSet(name: string, sets: SpeechSet[], folder: string): Promise<SpeechSet> {
  const pair = pairOf(name);
  const [first, second] = pair?.map((each) => sets.find((set) => set.name === each)) ?? [];
  if (!first || !second) throw new Error(`${name}: the sets it is made of are not there`);
  await mkdir(folder, { recursive: true });
  const sides = [first, second].map(({ sentences }) =>
    sentences.filter(({ seconds }) => seconds < longestSeconds),
  );
  const count = Math.min(recordings, ...sides.map((side) => side.length));
  const sentences: Sentence[] = [];
  for (let index = 0; index < count; index++) {
    const spoken = sides.map((side) => side[index]!);
    if (index % 2 === 1) spoken.reverse();
    sentences.push(await splice(spoken, join(folder, `${name}-${index}.wav`)));
  }
  return { name, language: 'zh', sentences };
}

async function splice(spoken: Sentence[], file: string): Promise<Sentence> {
  const sounds: Float32Array[] = [];
  for (const sentence of spoken) sounds.push(edgeSilence, await decodeAudio(sentence.file), edgeSilence);
  const samples = new Float32Array(sounds.reduce((sum, sound) => sum + sound.length, 0));
  let position = 0;
  for (const sound of sounds) {
    samples.set(sound, position);
    position += sound.length;
  }
  await writeWave(file, samples);
  return { file, seconds: samples.length / sampleRate, text: spoken.map(({ text }) => text).join(' ') };
}
