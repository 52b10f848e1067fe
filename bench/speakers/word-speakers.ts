import { toUnits } from '../../evaluation/scoring.ts';
import type { Segment } from '../../src/speech/transcript/segment.ts';
import type { Utterance } from './conversations.ts';
import { bestMapping } from './diarization-error.ts';

type Spoken = { unit: string; speaker: string | number };

/** Of the words that were heard, rightly or wrongly, how many were given to who said them. */
export function wordsOfRightSpeaker(
  utterances: readonly Utterance[],
  segments: readonly Segment[],
): { right: number; heard: number } {
  const spoken = utterances.flatMap(({ text, speaker }) => toUnits(text).map((unit) => ({ unit, speaker })));
  const written = segments.flatMap(({ text, speaker }) =>
    toUnits(text).map((unit) => ({ unit, speaker: speaker ?? -1 })),
  );
  const pairs = alignedPairs(spoken, written);
  const mapping = bestMapping(
    pairs.map(([said, heard]) => ({
      seconds: 1,
      spoken: new Set([said.speaker]),
      heard: new Set([heard.speaker]),
    })),
  );
  const right = pairs.filter(([said, heard]) => mapping.get(heard.speaker) === said.speaker).length;
  return { right, heard: pairs.length };
}

/** The pairs that stand opposite each other in the cheapest alignment. */
function alignedPairs(spoken: readonly Spoken[], written: readonly Spoken[]): [Spoken, Spoken][] {
  const width = written.length + 1;
  const costs = new Uint32Array((spoken.length + 1) * width);
  for (let column = 1; column < width; column++) costs[column] = column;
  for (let row = 1; row <= spoken.length; row++) {
    costs[row * width] = row;
    for (let column = 1; column < width; column++) {
      const same = spoken[row - 1]!.unit === written[column - 1]!.unit;
      costs[row * width + column] = Math.min(
        costs[(row - 1) * width + column - 1]! + (same ? 0 : 1),
        costs[(row - 1) * width + column]! + 1,
        costs[row * width + column - 1]! + 1,
      );
    }
  }
  const pairs: [Spoken, Spoken][] = [];
  let [row, column] = [spoken.length, written.length];
  while (row > 0 && column > 0) {
    const cost = costs[row * width + column]!;
    const same = spoken[row - 1]!.unit === written[column - 1]!.unit;
    if (cost === costs[(row - 1) * width + column - 1]! + (same ? 0 : 1)) {
      pairs.push([spoken[--row]!, written[--column]!]);
    } else if (cost === costs[(row - 1) * width + column]! + 1) row--;
    else column--;
  }
  return pairs;
}
