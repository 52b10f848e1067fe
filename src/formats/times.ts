import type { Segment, Word } from '../speech/transcript/segment.ts';

/** Seconds as the formats show them: whole milliseconds, and never an end before its start. */
export function shownTimes(piece: Segment | Word): { start: number; end: number } {
  const start = toMilliseconds(Math.max(0, piece.startSeconds));
  return { start, end: Math.max(start, toMilliseconds(piece.endSeconds)) };
}

export function toMilliseconds(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}

/** `hh:mm:ss` and milliseconds, with the separator that the subtitle format wants between them. */
export function clockTime(seconds: number, separator: ',' | '.'): string {
  const milliseconds = Math.round(seconds * 1000);
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const clock = [milliseconds / 3_600_000, (milliseconds / 60_000) % 60, (milliseconds / 1000) % 60];
  return `${clock.map(two).join(':')}${separator}${String(milliseconds % 1000).padStart(3, '0')}`;
}
