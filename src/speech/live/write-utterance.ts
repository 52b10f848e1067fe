import { withoutInvented } from '../text/invented-text.ts';
import { joinText } from '../text/join-text.ts';
import { writeSegment } from '../text/write-segment.ts';
import type { LanguageSetting, SpokenLanguage } from '../transcript/languages.ts';
import { type SpeechWindow, toRecordingTime } from '../windows/speech-window.ts';
import { certainProbability } from '../windows/voice/voice-thresholds.ts';
import { isMadeOfTones } from '../windows/voice/voice-tones.ts';
import type { RecognisedWindow } from '../windows/window-messages.ts';
import type { StreamText } from './stream-recogniser.ts';

/** The text of an utterance, with the same guards and the same writing as a file's segments. */
export function writeUtterance(
  parts: readonly RecognisedWindow[],
  window: SpeechWindow,
  asked: LanguageSetting,
): StreamText {
  const segments = parts
    .flatMap((part) =>
      withoutInvented(part, window).map((segment) => writeSegment(segment, part, window, asked)),
    )
    .filter(({ text }) => text !== '')
    .sort((a, b) => a.startSeconds - b.startSeconds);
  const [first, last] = [window.speech[0], window.speech.at(-1)];
  const isMusic = window.peakProbability < certainProbability && isMadeOfTones(window.audio);
  const kept = isMusic ? [] : segments;
  return {
    startSeconds: toRecordingTime(window, first?.startSeconds ?? 0),
    endSeconds: toRecordingTime(window, last?.endSeconds ?? 0),
    text: joinText(kept.map(({ text }) => text)),
    language: mostSpoken(kept) ?? parts[0]?.language ?? 'zh',
    words: kept.flatMap(({ words }) => words),
  };
}

function mostSpoken(segments: { language: SpokenLanguage; text: string }[]): SpokenLanguage | undefined {
  const lengths = new Map<SpokenLanguage, number>();
  for (const { language, text } of segments)
    lengths.set(language, (lengths.get(language) ?? 0) + text.length);
  return [...lengths].sort((a, b) => b[1] - a[1])[0]?.[0];
}
