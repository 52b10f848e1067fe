import type { RecognisedSegment } from './window-messages.ts';
import type { SpokenStretch } from './windows.ts';

/** The model's times are this far off at most; where the voice detector knows better, its times are taken. */
const reach = 1.2;
/** A segment that reaches this little into a stretch of speech belongs to the next one. */
const sliver = 0.3;

/** Moves the ends of segments to where the voice begins and stops, without passing a neighbour. */
export function snapToSpeech(segments: RecognisedSegment[], speech: readonly SpokenStretch[]): void {
  for (const [index, segment] of segments.entries()) {
    const earliest = segments[index - 1]?.endSeconds ?? 0;
    const start = speech.find(
      (stretch) =>
        stretch.endSeconds - sliver > segment.startSeconds || stretch.endSeconds >= segment.endSeconds,
    )?.startSeconds;
    if (start === undefined || start >= segment.endSeconds) continue;
    const inSilence = start > segment.startSeconds;
    if (inSilence || (start >= earliest && segment.startSeconds - start <= reach))
      segment.startSeconds = start;
  }
  for (const [index, segment] of segments.entries()) {
    const latest = segments[index + 1]?.startSeconds ?? Number.POSITIVE_INFINITY;
    const end = speech.findLast(
      (stretch) =>
        stretch.startSeconds + sliver < segment.endSeconds || stretch.startSeconds <= segment.startSeconds,
    )?.endSeconds;
    if (end !== undefined && end > segment.startSeconds) {
      const inSilence = end < segment.endSeconds;
      if (inSilence || (end <= latest && end - segment.endSeconds <= reach)) segment.endSeconds = end;
    }
    for (const word of segment.words) {
      word.startSeconds = clamp(word.startSeconds, segment);
      word.endSeconds = clamp(word.endSeconds, segment);
    }
  }
}

function clamp(time: number, { startSeconds, endSeconds }: SpokenStretch): number {
  return Math.min(Math.max(time, startSeconds), endSeconds);
}
