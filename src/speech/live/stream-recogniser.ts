import type { Pcm } from '../../audio/pcm.ts';
import type { LanguageSetting, SpokenLanguage } from '../transcript/languages.ts';

/** Recognises audio that has not ended yet. With Whisper this is done window by window; a model made for streams could be used instead. */
export interface StreamRecogniser {
  open(options: StreamOptions): SpeechStream;
}

export type StreamOptions = {
  language: LanguageSetting;
  hotwords: readonly string[];
  /** Silence after which what was said is complete. */
  endpointingMs: number;
  /** Whether partials are wanted. */
  interimResults: boolean;
  /** Times for every word of a final. */
  words: boolean;
  requestId: string;
  onEvent(event: RecognitionEvent): void;
};

/** What was recognised in a stream, in the order of the audio. Times are seconds from its first sample. */
export type RecognitionEvent =
  | { type: 'speech_started'; atSeconds: number }
  /** Text that the next one replaces. */
  | ({ type: 'partial' } & StreamText)
  /** Text that stays. */
  | ({ type: 'final'; speechFinal: boolean; fromFinalize: boolean; audio: Pcm } & StreamText);

export type StreamText = {
  startSeconds: number;
  endSeconds: number;
  text: string;
  language: SpokenLanguage;
  words: { text: string; startSeconds: number; endSeconds: number }[];
};

export interface SpeechStream {
  /** Resolves when the audio has been analysed for speech, not when its text is known. Must not be called again before that. */
  push(audio: Pcm): Promise<void>;
  /** Resolves when everything said so far has been given out as final. */
  finalize(): Promise<void>;
  /** The audio up to here needs no more work; what follows is being recognised. */
  readonly doneSeconds: number;
  /** Stops all work; no more events follow. */
  abort(): Promise<void>;
}
