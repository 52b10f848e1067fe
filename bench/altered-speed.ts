import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { decodeAudio, sampleRate } from '../evaluation/decoded-audio.ts';
import { writeWave } from '../evaluation/wave-file.ts';
import type { Sentence, SpeechSet } from './speech-sets.ts';

/** Every sentence at each of the speeds, pitch and all, written into `folder`: with so few sentences, chance moves a rate by a point. */
export async function atSpeeds(set: SpeechSet, speeds: number[], folder: string): Promise<SpeechSet> {
  await mkdir(join(folder, set.name), { recursive: true });
  const sentences: Sentence[] = [];
  for (const speed of speeds)
    for (const sentence of set.sentences)
      sentences.push(speed === 1 ? sentence : await atSpeed(sentence, speed, join(folder, set.name)));
  return { ...set, sentences };
}

async function atSpeed(sentence: Sentence, speed: number, folder: string): Promise<Sentence> {
  const file = join(folder, `${basename(sentence.file)}-${speed}.wav`);
  await writeWave(file, await decodeAudio(sentence.file), Math.round(sampleRate * speed));
  return { ...sentence, file, seconds: sentence.seconds / speed };
}
