import { decodeAudio, sampleRate } from '../evaluation/decoded-audio.ts';
import type { Sentence, SpeechSet } from './speech-sets.ts';

export type Recording = { samples: Float32Array; text: string };

const gapSeconds = 0.5;

/** Joins sentences, one from each set after another and from the start again when they run out, to the length asked for. */
export async function joinSentences(sets: SpeechSet[], seconds: number): Promise<Recording> {
  const samples = new Float32Array(Math.round(seconds * sampleRate));
  const texts: string[] = [];
  let position = 0;
  for (const sentence of inTurn(sets)) {
    const speech = await decodeAudio(sentence.file);
    if (position + speech.length > samples.length) break;
    samples.set(speech, position);
    texts.push(sentence.text);
    position += speech.length + gapSeconds * sampleRate;
  }
  return { samples, text: texts.join(' ') };
}

function* inTurn(sets: SpeechSet[]): Generator<Sentence> {
  const longest = Math.max(...sets.map((set) => set.sentences.length));
  while (longest > 0) {
    for (let index = 0; index < longest; index += 1)
      for (const set of sets) if (index < set.sentences.length) yield set.sentences[index]!;
  }
}
