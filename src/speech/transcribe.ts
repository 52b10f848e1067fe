import { randomUUID } from 'node:crypto';
import { decodeAudio } from '../audio/decode-audio.ts';
import { type Pcm, pcmSampleRate } from '../audio/pcm.ts';
import { mapInOrder } from './recognition/map-in-order.ts';
import { type RecognisePart, recogniseParts } from './recognition/recognise-parts.ts';
import type { RecognitionParts } from './recognition/recognition-parts.ts';
import { withoutTaiwanese } from './recognition/without-taiwanese.ts';
import { assignSpeakers } from './speakers/assign-speakers.ts';
import { createRecordingSpeakers } from './speakers/recording-speakers.ts';
import type { SpeakerModel } from './speakers/speaker-model.ts';
import { withoutInvented } from './text/invented-text.ts';
import { writeSegment } from './text/write-segment.ts';
import type { LanguageSetting } from './transcript/languages.ts';
import type { Segment, TranscribedRecording } from './transcript/segment.ts';
import type { SpeechWindow } from './windows/speech-window.ts';
import type { HeardBlock } from './windows/voice/voice-activity.ts';
import { hear } from './windows/window-recording.ts';
import { priorityOf, type Urgency } from './windows/window-urgency.ts';
import { packHeard } from './windows/windows.ts';

export type TranscribeOptions = {
  language: LanguageSetting;
  prompt?: string;
  hotwords?: readonly string[];
  /** Of the first try: 0 takes the likeliest words; above 0 they are drawn, the more freely the higher it is, up to 1. */
  temperature?: number;
  /** Times for every word, which costs about a tenth more. */
  words?: boolean;
  /** Tell speakers apart, with their number where it is known. Segments then come only at the end of the recording. */
  speakers?: { count?: number };
  /** How much of the silence around the speech the model is given; `short` is the default, and faster. */
  context?: 'full' | 'short';
  signal?: AbortSignal;
  requestId?: string;
  /** Whether somebody waits for it; true by default. A short recording is then served before longer ones. */
  hurried?: boolean;
  onProgress?: (progress: TranscribeProgress) => void;
  /** Called with the length of the audio so far, before its last chunk is recognised. It is awaited, and an error that it throws ends the work. */
  onDecoded?: (totalSeconds: number) => Promise<void>;
};

export type TranscribeProgress = { decodedSeconds: number; doneSeconds: number };

export type TranscribeParts = RecognitionParts & {
  speakerModel: SpeakerModel;
  /** Windows of one recording that may be under way at once. */
  windowsAtOnce: number | (() => number);
  /** Decodes files elsewhere. Without it, they are decoded on this thread. */
  decodeFile?: DecodeFile;
};

/** The bytes of a file in, its audio out. Pulling is the back-pressure; `break` stops the source. */
export type DecodeFile = (
  bytes: AsyncIterable<Uint8Array>,
  options: { signal?: AbortSignal },
) => AsyncGenerator<HeardBlock>;

/** The product on one page: decode → find speech → make windows → recognise → assign speakers → yield segments, in the order of the recording. */
export async function* transcribe(
  bytes: AsyncIterable<Uint8Array>,
  options: TranscribeOptions,
  parts: TranscribeParts,
): AsyncGenerator<Segment, TranscribedRecording> {
  const { dispatcher, voice, speakerModel, tokenisePrompt, windowsAtOnce, taiwanese } = parts;
  const { language, temperature = 0, words = false, requestId = randomUUID() } = options;
  if (language === 'nan-TW' && !taiwanese) throw withoutTaiwanese();
  const promptTokens = await tokenisePrompt(options.prompt, options.hotwords ?? []);
  const given = options.signal && { signal: options.signal };
  let durationSeconds = 0;
  const onAudio = (seconds: number) => {
    durationSeconds = seconds;
  };
  const heard = parts.decodeFile
    ? announce(parts.decodeFile(bytes, { ...given }), (block) => block.samples, options.onDecoded)
    : hear(
        announce(decodeAudio(bytes, { ...given }), (chunk) => chunk, options.onDecoded),
        voice,
      );
  const windows = packHeard(heard, { ...given, onAudio });

  const speakers = options.speakers && createRecordingSpeakers(speakerModel, options.speakers.count);
  const unassigned: Segment[] = [];
  let id = 0;
  for await (const { window, recognised } of mapInOrder(windows, windowsAtOnce, recogniseWindow)) {
    const segments = recognised.flatMap((part) =>
      withoutInvented(part, window).map((segment) => ({ segment, part })),
    );
    segments.sort((a, b) => a.segment.startSeconds - b.segment.startSeconds);
    for (const { segment, part } of segments) {
      const written = writeSegment(segment, part, window, language);
      if (written.text === '') continue;
      if (speakers) unassigned.push({ id: id++, ...written });
      else yield { id: id++, ...written };
    }
    options.onProgress?.({ decodedSeconds: durationSeconds, doneSeconds: endOf(window) });
  }
  options.onProgress?.({ decodedSeconds: durationSeconds, doneSeconds: durationSeconds });
  if (!speakers) return { durationSeconds };
  // Speakers can only be told apart when the voices of the whole recording are known.
  const { segments, numSpeakers } = assignSpeakers(unassigned, await speakers.turns());
  yield* segments;
  return { durationSeconds, numSpeakers };

  async function recogniseWindow(window: SpeechWindow, stop: AbortSignal) {
    const signal = options.signal ? AbortSignal.any([options.signal, stop]) : stop;
    const { context = 'short', hurried = true } = options;
    // A recording that fits into one window is served before the windows of longer ones, so that a short file is answered at once.
    const urgency: Urgency = hurried && isWholeRecording(window) ? 'interactive' : 'file';
    const run = { requestId, priority: priorityOf[urgency], signal };
    const voices = await speakers?.add(window, run);
    const job = {
      promptTokens,
      temperature,
      // A segment is cut at the word where the speaker changes.
      words: words || (voices?.severalVoices ?? false),
      context,
      urgency,
      mayRetry: true,
    } as const;
    const recognise: RecognisePart = (part) => dispatcher.run({ ...job, ...part, draft: [] }, run);
    return {
      window,
      recognised: await recogniseParts({ audio: window.audio, speech: window.speech, language }, recognise),
    };
  }
}

async function* announce<Piece>(
  pieces: AsyncIterable<Piece>,
  samplesOf: (piece: Piece) => Pcm,
  onDecoded: TranscribeOptions['onDecoded'],
): AsyncGenerator<Piece> {
  let samples = 0;
  for await (const piece of pieces) {
    samples += samplesOf(piece).length;
    await onDecoded?.(samples / pcmSampleRate);
    yield piece;
  }
}

function isWholeRecording({ index, cut }: SpeechWindow): boolean {
  return index === 0 && cut === 'end';
}

function endOf({ pieces }: SpeechWindow): number {
  const last = pieces.at(-1);
  return last ? last.startSeconds + last.durationSeconds : 0;
}
