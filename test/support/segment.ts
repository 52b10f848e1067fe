import type { Segment } from '../../src/speech/transcript/segment.ts';

/** A segment of one second, with plain values for everything that a test does not name. */
export function segment(given: Partial<Segment> = {}): Segment {
  const { id = 0 } = given;
  return {
    id,
    startSeconds: id,
    endSeconds: id + 1,
    text: '',
    language: 'en',
    words: [],
    tokens: [],
    temperature: 0,
    averageLogProbability: 0,
    compressionRatio: 1,
    noSpeechProbability: 0,
    ...given,
  };
}
