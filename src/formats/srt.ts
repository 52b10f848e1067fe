import type { Segment, Transcript } from '../speech/transcript/segment.ts';
import { cueLines } from './cue-lines.ts';
import { clockTime, shownTimes } from './times.ts';

export function toSrt(transcript: Transcript): string {
  const cues = transcript.segments.filter((segment) => cueLines(segment.text) !== '');
  return cues.map((segment, index) => `${index + 1}\n${toCue(segment)}\n\n`).join('');
}

function toCue(segment: Segment): string {
  const { start, end } = shownTimes(segment);
  // SubRip has no escapes, and its readers look for this arrow to find the next cue.
  const text = cueLines(segment.text).replaceAll('-->', '→');
  const speaker = segment.speaker === undefined ? '' : `Speaker ${segment.speaker}: `;
  return `${clockTime(start, ',')} --> ${clockTime(end, ',')}\n${speaker}${text}`;
}
