import type { SpeechWindow } from '../../src/speech/windows/speech-window.ts';
import type { RecognisedSegment, RecognisedWindow } from '../../src/speech/windows/window-messages.ts';

/** What the recogniser hands on, with a sure and ordinary value wherever a test does not say otherwise. */
export function recognisedSegment(given: Partial<RecognisedSegment> = {}): RecognisedSegment {
  return {
    startSeconds: 0,
    endSeconds: 2,
    text: ' Good morning.',
    tokens: [1, 2, 3],
    logProbabilities: [-0.1, -0.2, -0.3],
    words: [],
    ...given,
  };
}

export function recognisedWindow(
  segments: RecognisedSegment[],
  given: Partial<RecognisedWindow> = {},
): RecognisedWindow {
  return {
    language: 'en',
    noSpeechProbability: 0.01,
    temperature: 0,
    averageLogProbability: -0.2,
    compressionRatio: 1.2,
    looped: false,
    tokens: [],
    segments,
    ...given,
  };
}

export function speechWindow(given: Partial<SpeechWindow> = {}): SpeechWindow {
  return {
    index: 0,
    audio: new Float32Array(16_000 * 10),
    pieces: [{ windowStartSeconds: 0, startSeconds: 0, durationSeconds: 10 }],
    speech: [{ startSeconds: 0.2, endSeconds: 9.2 }],
    cut: 'end',
    peakProbability: 1,
    meanProbability: 0.95,
    ...given,
  };
}
