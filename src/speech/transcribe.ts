import { randomUUID } from 'node:crypto';
import { decodeAudio } from '../audio/decode-audio.ts';
import { pcmSampleRate } from '../audio/pcm.ts';
import type { Dispatcher } from '../inference/dispatcher.ts';
import { withoutInvented } from './invented-text.ts';
import { mapInOrder } from './map-in-order.ts';
import type { PromptTokeniser } from './prompt-tokens.ts';
import type { TranscribeOptions } from './recogniser.ts';
import type { Segment } from './segment.ts';
import { uncoveredStretches } from './uncovered.ts';
import type { VoiceActivity } from './voice-activity.ts';
import type { RecognisedWindow, WindowJob } from './window-messages.ts';
import { packWindows, type SpeechWindow } from './windows.ts';
import { writeSegment } from './write-segment.ts';

export type TranscribeParts = {
  dispatcher: Dispatcher<WindowJob, RecognisedWindow>;
  voice: VoiceActivity;
  tokenisePrompt: PromptTokeniser;
  /** Windows of one recording that may be under way at once. */
  windowsAtOnce: number;
};

/** The product on one page: decode → find speech → make windows → recognise → yield segments, in the order of the recording. */
export async function* transcribe(
  bytes: AsyncIterable<Uint8Array>,
  options: TranscribeOptions,
  { dispatcher, voice, tokenisePrompt, windowsAtOnce }: TranscribeParts,
): AsyncGenerator<Segment, { durationSeconds: number }> {
  const { language, temperature = 0, words = false, priority = 'file', requestId = randomUUID() } = options;
  const promptTokens = await tokenisePrompt(options.prompt, options.hotwords ?? []);
  const given = options.signal && { signal: options.signal };
  let durationSeconds = 0;
  const onAudio = (seconds: number) => {
    durationSeconds = seconds;
  };
  const windows = packWindows(decodeAudio(bytes, { ...given }), voice, { ...given, onAudio });

  let id = 0;
  for await (const { window, recognised } of mapInOrder(windows, windowsAtOnce, recogniseWindow)) {
    const segments = recognised.flatMap((part) =>
      withoutInvented(part, window).map((segment) => ({ segment, part })),
    );
    segments.sort((a, b) => a.segment.startSeconds - b.segment.startSeconds);
    for (const { segment, part } of segments) {
      const written = writeSegment(segment, part, window, language);
      if (written.text !== '') yield { id: id++, ...written };
    }
    options.onProgress?.({ decodedSeconds: durationSeconds, doneSeconds: endOf(window) });
  }
  options.onProgress?.({ decodedSeconds: durationSeconds, doneSeconds: durationSeconds });
  return { durationSeconds };

  /** Recognises a window, and again every stretch of it that the first text left out. */
  async function recogniseWindow(window: SpeechWindow, stop: AbortSignal) {
    const signal = options.signal ? AbortSignal.any([options.signal, stop]) : stop;
    const run = (audio: Float32Array) =>
      dispatcher.run({ audio, language, promptTokens, temperature, words }, { requestId, priority, signal });
    const first = await run(window.audio);
    const seconds = window.audio.length / pcmSampleRate;
    const recognised = [first];
    for (const { startSeconds, endSeconds } of uncoveredStretches(first, seconds)) {
      const part = window.audio.subarray(
        Math.floor(startSeconds * pcmSampleRate),
        Math.ceil(endSeconds * pcmSampleRate),
      );
      recognised.push(shifted(await run(part), startSeconds));
    }
    return { window, recognised };
  }
}

function shifted(recognised: RecognisedWindow, seconds: number): RecognisedWindow {
  const shift = <T extends { startSeconds: number; endSeconds: number }>(timed: T): T => ({
    ...timed,
    startSeconds: timed.startSeconds + seconds,
    endSeconds: timed.endSeconds + seconds,
  });
  const segments = recognised.segments.map((segment) => ({
    ...shift(segment),
    words: segment.words.map(shift),
  }));
  return { ...recognised, segments };
}

function endOf({ pieces }: SpeechWindow): number {
  const last = pieces.at(-1);
  return last ? last.startSeconds + last.durationSeconds : 0;
}
