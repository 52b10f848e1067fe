import type { SpokenStretch } from '../../windows/speech-window.ts';
import type { RecognisedSegment } from '../../windows/window-messages.ts';

/** The model's times are this far off at most; where the voice detector knows better, its times are taken. */
const reach = 1.2;
/** A segment that reaches this little into a stretch of speech belongs to the next one. */
const sliver = 0.3;

/** Moves the ends of segments to where the voice begins and stops, without passing a neighbour. */
export function snapToSpeech(segments: RecognisedSegment[], speech: readonly SpokenStretch[]): void {
  for (const segment of segments) {
    const end = endOfSpeech(segment, speech);
    if (end !== undefined && end < segment.endSeconds) segment.endSeconds = end;
  }
  for (const [index, segment] of segments.entries()) {
    const earliest = segments[index - 1]?.endSeconds ?? 0;
    const start = startOfSpeech(segment, speech);
    if (start === undefined) continue;
    const inSilence = start > segment.startSeconds;
    if (inSilence || (start >= earliest && segment.startSeconds - start <= reach))
      segment.startSeconds = start;
  }
  for (const [index, segment] of segments.entries()) {
    const latest = segments[index + 1]?.startSeconds ?? Number.POSITIVE_INFINITY;
    const end = endOfSpeech(segment, speech);
    if (end !== undefined && end <= latest && end - segment.endSeconds <= reach) segment.endSeconds = end;
    for (const word of segment.words) {
      word.startSeconds = clamp(word.startSeconds, segment);
      word.endSeconds = clamp(word.endSeconds, segment);
    }
  }
}

/** The start of the stretch of speech in which the segment starts. */
function startOfSpeech(segment: SpokenStretch, speech: readonly SpokenStretch[]): number | undefined {
  const start = speech.find(
    ({ endSeconds }) => endSeconds - sliver > segment.startSeconds || endSeconds >= segment.endSeconds,
  )?.startSeconds;
  return start !== undefined && start < segment.endSeconds ? start : undefined;
}

/** The end of the stretch of speech in which the segment ends. */
function endOfSpeech(segment: SpokenStretch, speech: readonly SpokenStretch[]): number | undefined {
  const end = speech.findLast(
    ({ startSeconds }) => startSeconds + sliver < segment.endSeconds || startSeconds <= segment.startSeconds,
  )?.endSeconds;
  return end !== undefined && end > segment.startSeconds ? end : undefined;
}

function clamp(time: number, { startSeconds, endSeconds }: SpokenStretch): number {
  return Math.min(Math.max(time, startSeconds), endSeconds);
}
