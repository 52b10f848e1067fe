import type { Segment, Transcript } from '../speech/transcript/segment.ts';
import { cueLines } from './cue-lines.ts';
import { clockTime, shownTimes } from './times.ts';

export function toVtt(transcript: Transcript): string {
  const cues = transcript.segments.filter((segment) => cueLines(segment.text) !== '');
  return `WEBVTT\n\n${cues.map((segment) => `${toCue(segment)}\n\n`).join('')}`;
}

function toCue(segment: Segment): string {
  const { start, end } = shownTimes(segment);
  const speaker = segment.speaker === undefined ? '' : `<v Speaker ${segment.speaker}>`;
  return `${clockTime(start, '.')} --> ${clockTime(end, '.')}\n${speaker}${escapeText(cueLines(segment.text))}`;
}

/** https://www.w3.org/TR/webvtt1/#webvtt-cue-text-span; escaping `>` takes care of `-->` as well. */
function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
