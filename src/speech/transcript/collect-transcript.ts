import { likeliestLanguage } from '../transcript/languages.ts';
import type { TranscribedRecording } from '../transcript/segment.ts';
import { type LanguageSetting, languageOfSetting, type SpokenLanguage } from './languages.ts';
import type { Segment, Transcript } from './segment.ts';

/** The finished transcript of a recognition run; its language is the one spoken for the longest time. */
export async function collectTranscript(
  segments: AsyncGenerator<Segment, TranscribedRecording>,
  setting: LanguageSetting,
): Promise<Transcript> {
  const collected: Segment[] = [];
  for (;;) {
    const next = await segments.next();
    if (next.done) return { ...next.value, language: mainLanguage(collected, setting), segments: collected };
    collected.push(next.value);
  }
}

function mainLanguage(segments: readonly Segment[], setting: LanguageSetting): SpokenLanguage {
  const seconds = { zh: 0, en: 0, nan: 0 };
  for (const { language, startSeconds, endSeconds } of segments) {
    seconds[language] += Math.max(0, endSeconds - startSeconds);
  }
  return likeliestLanguage(seconds, segments[0]?.language ?? languageOfSetting(setting));
}
