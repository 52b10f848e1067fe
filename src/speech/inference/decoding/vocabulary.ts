import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SpokenLanguage } from '../../transcript/languages.ts';

/** Whisper's tokens: what each stands for, and the ids that steer it. */
export type Vocabulary = {
  endOfText: number;
  startOfTranscript: number;
  startOfPrevious: number;
  transcribe: number;
  noSpeech: number;
  noTimestamps: number;
  /** First timestamp, `<|0.00|>`; each further one is 20 ms later. */
  firstTimestamp: number;
  languages: Record<SpokenLanguage, number>;
  /** Tokens that are no speech (brackets, notes, other tasks) and those that cannot begin a text. */
  suppressed: readonly number[];
  suppressedAtStart: readonly number[];
  bytesOf(tokens: readonly number[]): Uint8Array;
};

export const timestampSeconds = 0.02;

export async function readVocabulary(modelFolder: string): Promise<Vocabulary> {
  const [vocabulary, generation] = await Promise.all(
    ['vocab.json', 'generation_config.json'].map(async (file) =>
      JSON.parse(await readFile(join(modelFolder, file), 'utf8')),
    ),
  );
  const bytesOf = tokenBytes(vocabulary as Record<string, number>);
  const noTimestamps: number = generation.no_timestamps_token_id;
  return {
    endOfText: generation.eos_token_id,
    startOfTranscript: generation.decoder_start_token_id,
    transcribe: generation.task_to_id.transcribe,
    // Whisper's special tokens stand in one fixed row: … translate, transcribe, start of LM, start of previous, no speech, no timestamps.
    startOfPrevious: noTimestamps - 2,
    noSpeech: noTimestamps - 1,
    noTimestamps,
    firstTimestamp: noTimestamps + 1,
    languages: {
      zh: generation.lang_to_id['<|zh|>'],
      en: generation.lang_to_id['<|en|>'],
      // Whisper has no token for Taiwanese. The adapter was taught to use that of Javanese, which Siann does not serve.
      nan: generation.lang_to_id['<|jw|>'],
    },
    suppressed: [...generation.suppress_tokens, noTimestamps],
    suppressedAtStart: generation.begin_suppress_tokens,
    bytesOf: (tokens) => Uint8Array.from(tokens.flatMap(bytesOf)),
  };
}

/** Text of whole characters only: what a damaged or cut-off character leaves behind is dropped. */
export function decodeText(vocabulary: Vocabulary, tokens: readonly number[]): string {
  return new TextDecoder().decode(vocabulary.bytesOf(tokens)).replaceAll('\uFFFD', '');
}

/** The vocabulary spells each byte as one printable character (GPT-2's byte-level alphabet). */
function tokenBytes(vocabulary: Record<string, number>): (token: number) => number[] {
  const byteOf = new Map<string, number>();
  let next = 256;
  for (let byte = 0; byte < 256; byte++) {
    const printable = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
    byteOf.set(String.fromCodePoint(printable ? byte : next++), byte);
  }
  const spellings: string[] = [];
  for (const spelling in vocabulary) spellings[vocabulary[spelling]!] = spelling;
  return (token) => Array.from(spellings[token] ?? '', (character) => byteOf.get(character) ?? 63);
}
