import { toUnits } from '../evaluation/scoring.ts';
import { joinText } from '../src/speech/text/join-text.ts';

/** A Han character or another word, as scoring compares them, with the time at which it was said. */
export type TimedUnit = { unit: string; startSeconds: number; endSeconds: number };
export type Piece = { text: string; startSeconds: number; endSeconds: number };

const mostUnits = 5;
const shortestSeconds = 0.3;

const words = new Intl.Segmenter('zh', { granularity: 'word' });

/** Pieces of whole words, one after the other; none if something was recognised that is not in the text. */
export function cutPieces(text: string, recognised: TimedUnit[], fewestUnits: number): Piece[] {
  const spoken = [...words.segment(text)]
    .map(({ segment }) => ({ text: segment, units: toUnits(segment) }))
    .filter(({ units }) => units.length > 0);
  const expected = spoken.flatMap(({ units }) => units);
  if (expected.join(' ') !== recognised.map(({ unit }) => unit).join(' ')) return [];

  const pieces: Piece[] = [];
  let texts: string[] = [];
  let [first, next] = [0, 0];
  for (const word of spoken) {
    if (next - first + word.units.length > mostUnits) take();
    texts.push(word.text);
    next += word.units.length;
    if (next - first >= fewestUnits) take();
  }
  return pieces;

  function take(): void {
    const count = next - first;
    if (count >= fewestUnits && count <= mostUnits) {
      const { startSeconds } = recognised[first]!;
      const { endSeconds } = recognised[next - 1]!;
      if (endSeconds - startSeconds >= shortestSeconds)
        pieces.push({ text: joinText(texts), startSeconds, endSeconds });
    }
    texts = [];
    first = next;
  }
}
