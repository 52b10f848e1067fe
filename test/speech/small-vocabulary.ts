import type { Vocabulary } from '../../src/speech/inference/decoding/vocabulary.ts';

/** Letters a … z as tokens 0 … 25 and every 20 ms up to 30 s: small enough to write log-probabilities by hand. */
export const smallVocabulary: Vocabulary = {
  endOfText: 30,
  startOfTranscript: 31,
  startOfPrevious: 32,
  transcribe: 33,
  noSpeech: 34,
  noTimestamps: 35,
  firstTimestamp: 40,
  languages: { zh: 36, en: 37, nan: 38 },
  suppressed: [24, 35], // y is no speech
  suppressedAtStart: [25, 30], // a text does not begin with z
  bytesOf: (tokens) => Uint8Array.from(tokens.filter((token) => token < 26).map((token) => 97 + token)),
};

export const vocabularySize = 40 + 1501;

export function letter(text: string): number {
  return text.charCodeAt(0) - 97;
}

export function letters(text: string): number[] {
  return [...text].map(letter);
}

export function time(seconds: number): number {
  return smallVocabulary.firstTimestamp + Math.round(seconds / 0.02);
}

export const end = smallVocabulary.endOfText;

/** Log-probabilities in which only the tokens given are likely. */
export function row(likely: readonly (readonly [token: number, probability: number])[]): Float32Array {
  const logProbabilities = new Float32Array(vocabularySize).fill(-30);
  for (const [token, probability] of likely) logProbabilities[token] = Math.log(probability);
  return logProbabilities;
}
