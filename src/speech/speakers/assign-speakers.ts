import { joinText } from '../text/join-text.ts';
import type { Segment, Word } from '../transcript/segment.ts';
import type { SpeakerTurn } from './who-spoke.ts';

/**
 * Gives every segment its speaker. One in which the speaker changes is cut between two words, where its words are known;
 * otherwise it goes to whoever speaks longest in it. Speakers are numbered as they appear in the text.
 */
export function assignSpeakers(
  segments: readonly Segment[],
  turns: readonly SpeakerTurn[],
): { segments: Segment[]; numSpeakers: number } {
  const search = createTurnSearch(turns);
  const numbers = new Map<number, number>();
  const assigned = segments
    .flatMap((segment) => cutAtChanges(segment, search))
    .map((segment, id) => {
      const speaker = numbers.get(segment.speaker) ?? numbers.size;
      numbers.set(segment.speaker, speaker);
      return { ...segment, id, speaker };
    });
  return { segments: assigned, numSpeakers: numbers.size };
}

type Timed = { startSeconds: number; endSeconds: number };
type TurnSearch = (stretch: Timed) => number;

/** Finds the speaker who has most of a stretch, or whose turn is nearest to it. It is fast when stretches come in about their order. */
export function createTurnSearch(turns: readonly SpeakerTurn[]): TurnSearch {
  let first = 0;
  return ({ startSeconds, endSeconds }) => {
    while (first > 0 && turns[first - 1]!.endSeconds > startSeconds) first--;
    while (first < turns.length - 1 && turns[first]!.endSeconds <= startSeconds) first++;
    const shares = new Map<number, number>();
    const nearby = turns.slice(Math.max(0, first - 1), first + 1);
    for (let index = first; index < turns.length && turns[index]!.startSeconds < endSeconds; index++) {
      const turn = turns[index]!;
      const common = Math.min(turn.endSeconds, endSeconds) - Math.max(turn.startSeconds, startSeconds);
      if (common > 0) shares.set(turn.speaker, (shares.get(turn.speaker) ?? 0) + common);
    }
    if (shares.size > 0) return [...shares].reduce((a, b) => (b[1] > a[1] ? b : a))[0];
    const away = (turn: SpeakerTurn) =>
      Math.max(turn.startSeconds - endSeconds, startSeconds - turn.endSeconds);
    return nearby.length > 0 ? nearby.reduce((a, b) => (away(b) < away(a) ? b : a)).speaker : 0;
  };
}

type SpokenSegment = Segment & { speaker: number };

function cutAtChanges(segment: Segment, search: TurnSearch): SpokenSegment[] {
  const runs: { speaker: number; words: Word[] }[] = [];
  for (const word of segment.words) {
    const speaker = search(word);
    if (runs.at(-1)?.speaker === speaker) runs.at(-1)!.words.push(word);
    else runs.push({ speaker, words: [word] });
  }
  if (runs.length <= 1) return [{ ...segment, speaker: runs[0]?.speaker ?? search(segment) }];
  const texts = cutText(
    segment.text,
    runs.map(({ words }) => words),
  );
  return runs.map(({ speaker, words }, index) => ({
    ...segment,
    startSeconds: index === 0 ? segment.startSeconds : words[0]!.startSeconds,
    endSeconds: index === runs.length - 1 ? segment.endSeconds : words.at(-1)!.endSeconds,
    text: texts[index]!,
    words,
    // It is not known which tokens belong to which part, and they must not be there twice.
    tokens: index === 0 ? segment.tokens : [],
    speaker,
  }));
}

/** The text, cut before the first word of each run, so that marks stay with the word before them. */
function cutText(text: string, runs: readonly Word[][]): string[] {
  const cuts: number[] = [];
  let from = 0;
  for (const words of runs) {
    for (const [index, word] of words.entries()) {
      const found = text.indexOf(word.text, from);
      if (found < 0) return runs.map((run) => joinText(run.map((each) => each.text)));
      if (index === 0) cuts.push(found);
      from = found + word.text.length;
    }
  }
  return cuts.map((start, index) =>
    text.slice(index === 0 ? 0 : start, cuts[index + 1] ?? text.length).trim(),
  );
}
