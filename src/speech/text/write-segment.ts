import type { LanguageSetting } from '../transcript/languages.ts';
import type { Segment, Word } from '../transcript/segment.ts';
import { type SpeechWindow, toRecordingTime } from '../windows/speech-window.ts';
import type { RecognisedSegment, RecognisedWindow } from '../windows/window-messages.ts';
import { tidyText } from './chinese-punctuation.ts';
import { hasSimplified, toScript } from './chinese-script.ts';
import { meanLogProbability } from './invented-text.ts';
import { isTaiwanese } from './taiwanese-writing.ts';

/** A recognised segment as the caller gets it: times of the recording, text in the script asked for. */
export function writeSegment(
  segment: RecognisedSegment,
  recognised: RecognisedWindow,
  window: SpeechWindow,
  asked: LanguageSetting,
): Omit<Segment, 'id'> {
  const inRecording = (seconds: number) => toRecordingTime(window, seconds);
  // A sentence may be in Taiwanese although the window is not. A text with Simplified characters is always Mandarin.
  const isInTaiwanese = isTaiwanese(segment.text) && !hasSimplified(segment.text);
  const language = isInTaiwanese ? 'nan' : recognised.language;
  const setting = language === 'nan' ? 'nan-TW' : asked;
  return {
    startSeconds: inRecording(segment.startSeconds),
    endSeconds: inRecording(segment.endSeconds),
    text: tidyText(toScript(segment.text, setting), language),
    language,
    words: writeWords(segment, setting).map((word) => ({
      ...word,
      text: tidyText(word.text, language),
      startSeconds: inRecording(word.startSeconds),
      endSeconds: inRecording(word.endSeconds),
    })),
    tokens: segment.tokens,
    temperature: recognised.temperature,
    averageLogProbability: meanLogProbability(segment),
    compressionRatio: recognised.compressionRatio,
    noSpeechProbability: recognised.noSpeechProbability,
  };
}

/** Words are converted together and then separated again, since the form of a character depends on its neighbours. */
function writeWords({ words }: RecognisedSegment, setting: LanguageSetting): Word[] {
  const converted = [...toScript(words.map(({ text }) => text).join(''), setting)];
  const lengths = words.map(({ text }) => [...text].length);
  const sameLength = converted.length === lengths.reduce((sum, length) => sum + length, 0);
  let at = 0;
  return words.map((word, index) => {
    const text = sameLength
      ? converted.slice(at, at + lengths[index]!).join('')
      : toScript(word.text, setting);
    at += lengths[index]!;
    return { ...word, text: text.trim() };
  });
}
