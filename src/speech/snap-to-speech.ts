import type { RecognisedSegment } from './window-messages.ts';
import type { SpokenStretch } from './windows.ts';

/** The model's times are this far off at most; where the voice detector knows better, its times are taken. */
const reach = 0.5;

/** Moves the ends of segments to where the voice begins and stops, without passing a neighbour. */
export function snapToSpeech(segments: RecognisedSegment[], speech: readonly SpokenStretch[]): void {
  for (const [index, segment] of segments.entries()) {
    const earliest = segments[index - 1]?.endSeconds ?? 0;
    const latest = segments[index + 1]?.startSeconds ?? Number.POSITIVE_INFINITY;
    const start = nearest(
      speech.map(({ startSeconds }) => startSeconds),
      segment.startSeconds,
    );
    if (start !== undefined && start >= earliest && start < segment.endSeconds) segment.startSeconds = start;
    const end = nearest(
      speech.map(({ endSeconds }) => endSeconds),
      segment.endSeconds,
    );
    if (end !== undefined && end <= latest && end > segment.startSeconds) segment.endSeconds = end;
    trimSilence(segment, speech);
    for (const word of segment.words) {
      word.startSeconds = clamp(word.startSeconds, segment);
      word.endSeconds = clamp(word.endSeconds, segment);
    }
  }
}

/** A segment neither begins nor ends in silence. */
function trimSilence(segment: RecognisedSegment, speech: readonly SpokenStretch[]): void {
  const first = speech.find(({ endSeconds }) => endSeconds > segment.startSeconds);
  const last = speech.findLast(({ startSeconds }) => startSeconds < segment.endSeconds);
  if (first && first.startSeconds < segment.endSeconds)
    segment.startSeconds = Math.max(segment.startSeconds, first.startSeconds);
  if (last && last.endSeconds > segment.startSeconds)
    segment.endSeconds = Math.min(segment.endSeconds, last.endSeconds);
}

function nearest(times: number[], time: number): number | undefined {
  let best: number | undefined;
  for (const each of times) {
    if (Math.abs(each - time) <= Math.abs((best ?? Number.POSITIVE_INFINITY) - time)) best = each;
  }
  return best !== undefined && Math.abs(best - time) <= reach ? best : undefined;
}

function clamp(time: number, { startSeconds, endSeconds }: SpokenStretch): number {
  return Math.min(Math.max(time, startSeconds), endSeconds);
}
