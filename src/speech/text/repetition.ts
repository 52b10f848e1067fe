import { deflateSync } from 'node:zlib';

/** Above this a text is taken for a loop (openai/whisper, transcribe.py). */
export const worstCompressionRatio = 2.4;

/** How well the text compresses, as OpenAI's Whisper measures it. */
export function compressionRatio(text: string): number {
  const bytes = Buffer.from(text, 'utf8');
  return bytes.length === 0 ? 0 : bytes.length / deflateSync(bytes).length;
}

const longestPeriod = 30;

/**
 * The index at which a loop at the end of the tokens begins to repeat, that is, of its second copy: everything before it is kept.
 * This is called after every token, so it looks only at the last tokens.
 */
export function repetitionStart(tokens: readonly number[]): number | undefined {
  for (let period = 1; period <= longestPeriod; period++) {
    const copies = copiesThatLoop(period);
    const start = tokens.length - copies * period;
    if (start < 0) continue;
    if (!repeats(tokens, start + period, period)) continue;
    // Copies before the ones counted belong to the loop too; the first full copy is the one to keep.
    let first = start;
    while (first - period >= 0 && repeatsOnce(tokens, first, period)) first -= period;
    return first + period;
  }
  return undefined;
}

/** People do say 謝謝謝謝, "no no no no" and 0000: a short unit must be repeated more often before it counts as a loop. */
function copiesThatLoop(period: number): number {
  if (period <= 2) return 6;
  return period <= 5 ? 4 : 3;
}

function repeats(tokens: readonly number[], from: number, period: number): boolean {
  for (let i = tokens.length - 1; i >= from; i--) {
    if (tokens[i] !== tokens[i - period]) return false;
  }
  return true;
}

function repeatsOnce(tokens: readonly number[], from: number, period: number): boolean {
  for (let i = from; i < from + period; i++) {
    if (tokens[i] !== tokens[i - period]) return false;
  }
  return true;
}
