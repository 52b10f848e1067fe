import assert from 'node:assert/strict';
import { pcmSampleRate } from '../../audio/pcm.ts';
import type { SpeechSpan } from './speech-spans.ts';
import type { SpeechWindow } from './speech-window.ts';
import { voiceFrameSamples } from './voice/voice-activity.ts';
import type { Stretch } from './window-plan.ts';
import { sumOf, type WindowRecording } from './window-recording.ts';

/**
 * Checks in every run that no speech is lost or recognised twice: each voiced sample lies in exactly one window, windows and their
 * pieces go forward, and the audio of a window is that of the recording.
 */
export class WindowCoverage {
  readonly #recording: WindowRecording;
  readonly #maxSamples: number;
  readonly #uncovered: Stretch[] = [];
  #coveredSamples = 0;
  /** From here to `#coveredSamples` there is no hole. */
  #unbrokenSince = 0;

  constructor(recording: WindowRecording, maxSamples: number) {
    this.#recording = recording;
    this.#maxSamples = maxSamples;
  }

  addSpeech({ speechStart, speechEnd }: SpeechSpan): void {
    if (speechStart < this.#coveredSamples) {
      assert(speechStart >= this.#unbrokenSince, 'a window has a hole where there is speech');
    }
    const start = Math.max(speechStart, this.#coveredSamples);
    if (start < speechEnd) this.#uncovered.push({ start, end: speechEnd });
  }

  addWindow(window: SpeechWindow): void {
    assert(window.audio.length <= this.#maxSamples, 'a window is longer than allowed');
    let offset = 0;
    for (const piece of window.pieces) {
      const start = Math.round(piece.startSeconds * pcmSampleRate);
      const length = Math.round(piece.durationSeconds * pcmSampleRate);
      assert.equal(Math.round(piece.windowStartSeconds * pcmSampleRate), offset, 'a window has a hole');
      this.#cover(start, start + length);
      this.#compare(window, offset, start, length);
      offset += length;
    }
    assert.equal(offset, window.audio.length, 'a window has audio that is in none of its pieces');
  }

  end(): void {
    assert.equal(this.#uncovered.length, 0, 'speech is in no window');
  }

  #cover(start: number, end: number): void {
    assert(start >= this.#coveredSamples && end > start, 'windows overlap or go backward');
    if (start > this.#coveredSamples) this.#unbrokenSince = start;
    this.#coveredSamples = end;
    for (let next = this.#uncovered[0]; next && next.start < end; next = this.#uncovered[0]) {
      assert(next.start >= start, 'speech lies between two windows');
      if (next.end > end) {
        next.start = end;
        return;
      }
      this.#uncovered.shift();
    }
  }

  #compare(window: SpeechWindow, offset: number, start: number, length: number): void {
    const first = Math.ceil(start / voiceFrameSamples);
    const end = Math.floor((start + length) / voiceFrameSamples);
    for (let frame = first; frame < end; frame++) {
      const sum = sumOf(window.audio, offset + frame * voiceFrameSamples - start);
      assert.equal(sum, this.#recording.frameSum(frame), 'a window differs from the recording');
    }
  }
}
