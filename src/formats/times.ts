import type { Segment, Word } from '../speech/transcript/segment.ts';

/** Seconds as the formats show them: with three decimals, and never an end before its start. */
export function shownTimes(piece: Segment | Word): { start: number; end: number } {
  const start = roundedToMilliseconds(Math.max(0, piece.startSeconds));
  return { start, end: Math.max(start, roundedToMilliseconds(piece.endSeconds)) };
}

export function roundedToMilliseconds(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
