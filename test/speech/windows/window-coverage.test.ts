import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Pcm, pcmSampleRate } from '../../../src/audio/pcm.ts';
import type { SpeechSpan } from '../../../src/speech/windows/speech-spans.ts';
import type { SpeechWindow } from '../../../src/speech/windows/speech-window.ts';
import { WindowCoverage } from '../../../src/speech/windows/window-coverage.ts';
import { blockSamples, WindowRecording } from '../../../src/speech/windows/window-recording.ts';
import { numberedSamples } from '../voice-script.ts';

const samples = numberedSamples(4 * blockSamples);
const maxSamples = 30_000;

test('speech that is covered piece by piece passes', () => {
  const coverage = openCoverage();
  coverage.addSpeech(speech(5_000, 10_000));
  coverage.addWindow(windowOf([4_000, 12_000]));
  coverage.addWindow(windowOf([20_000, 25_000]));
  coverage.addSpeech(speech(21_000, 31_000));
  coverage.addSpeech(speech(41_000, 45_000));
  coverage.addWindow(windowOf([25_000, 32_000], [40_000, 45_000]));
  coverage.end();
});

const violations: Record<string, [RegExp, (coverage: WindowCoverage) => void]> = {
  'speech in no window': [
    /speech is in no window/,
    (coverage) => {
      coverage.addWindow(windowOf([4_000, 12_000]));
      coverage.addSpeech(speech(5_000, 12_001));
      coverage.end();
    },
  ],
  'speech between two pieces': [
    /speech lies between/,
    (coverage) => {
      coverage.addSpeech(speech(5_000, 9_000));
      coverage.addWindow(windowOf([4_000, 8_000], [8_001, 9_000]));
    },
  ],
  'speech found too late inside a shortened silence': [
    /hole where there is speech/,
    (coverage) => {
      coverage.addWindow(windowOf([4_000, 8_000], [9_000, 12_000]));
      coverage.addSpeech(speech(7_000, 10_000));
    },
  ],
  'a sample in two windows': [
    /overlap/,
    (coverage) => {
      coverage.addWindow(windowOf([4_000, 8_000]));
      coverage.addWindow(windowOf([7_999, 9_000]));
    },
  ],
  'a window that is too long': [
    /longer than allowed/,
    (coverage) => coverage.addWindow(windowOf([0, 30_001])),
  ],
  'audio from another time': [
    /differs from the recording/,
    (coverage) => {
      const window = windowOf([4_000, 8_000]);
      coverage.addWindow({ ...window, audio: samples.slice(4_001, 8_001) });
    },
  ],
  'audio that belongs to no piece': [
    /in none of its pieces/,
    (coverage) => {
      const window = windowOf([4_000, 8_000]);
      coverage.addWindow({ ...window, audio: samples.slice(4_000, 8_100) });
    },
  ],
};
for (const [name, [message, violate]] of Object.entries(violations)) {
  test(`${name} is noticed`, () => assert.throws(() => violate(openCoverage()), message));
}

function openCoverage(): WindowCoverage {
  const recording = new WindowRecording();
  for (let at = 0; at < samples.length; at += blockSamples) {
    recording.append(samples.subarray(at, at + blockSamples), new Float32Array(blockSamples / 512));
  }
  return new WindowCoverage(recording, maxSamples);
}

function speech(speechStart: number, speechEnd: number): SpeechSpan {
  return {
    start: speechStart,
    end: speechEnd,
    speechStart,
    speechEnd,
    peakProbability: 1,
    meanProbability: 1,
  };
}

function windowOf(...stretches: [number, number][]): SpeechWindow {
  const audio: number[] = [];
  const pieces = stretches.map(([start, end]) => {
    const windowStartSeconds = audio.length / pcmSampleRate;
    audio.push(...(samples.subarray(start, end) as Pcm));
    return {
      windowStartSeconds,
      startSeconds: start / pcmSampleRate,
      durationSeconds: (end - start) / pcmSampleRate,
    };
  });
  const judgement = { speechSeconds: 1, peakProbability: 1, meanProbability: 1 };
  return { index: 0, audio: Float32Array.from(audio), pieces, speech: [], cut: 'silence', ...judgement };
}
