import { pcmSampleRate } from '../../audio/pcm.ts';
import { type LanguageSetting, settingOfLanguage } from '../transcript/languages.ts';
import { shiftRecognised } from '../windows/shift-times.ts';
import type { SpokenStretch } from '../windows/speech-window.ts';
import { uncoveredStretches } from '../windows/uncovered.ts';
import type { RecognisedWindow, WindowJob, WindowResult } from '../windows/window-messages.ts';
import { withoutWrittenTwice } from './written-twice.ts';

/** Audio of a window or of a part of one. */
export type WindowPart = Pick<WindowJob, 'audio' | 'speech' | 'language'> & {
  /** The words of this part must have times, whatever was asked for the whole. */
  words?: true;
};
export type RecognisePart = (part: WindowPart) => Promise<WindowResult>;

/** A stretch that was left out is tried again only if it is shorter than the part by at least this many seconds: each try must make progress. */
const leastProgressSeconds = 0.5;

/**
 * Recognises a window. When several languages are spoken in it, each is recognised by itself, since Whisper would translate one into
 * the other; and speech that the text leaves out is recognised again. Times are those of the whole window.
 */
export async function recogniseParts(
  whole: WindowPart,
  recognise: RecognisePart,
): Promise<RecognisedWindow[]> {
  const result = await recognise(whole);
  if ('languages' in result) {
    const runs = result.languages.map(async (run) => {
      const language = settingOfLanguage[run.language];
      const parts = await recogniseParts({ ...cutPart(whole, run), language }, recognise);
      return parts.map((part) => shiftRecognised(part, run.startSeconds));
    });
    return (await Promise.all(runs)).flat();
  }
  const parts = [result.recognised];
  const seconds = whole.audio.length / pcmSampleRate;
  for (const left of uncoveredStretches(result.recognised, seconds)) {
    if (left.endSeconds - left.startSeconds > seconds - leastProgressSeconds) continue;
    const language = settingOf(whole, result.recognised);
    const rest = { ...cutPart(whole, left), language, words: true } as const;
    const again = await recogniseParts(rest, recognise);
    const shifted = again.map((part) => shiftRecognised(part, left.startSeconds));
    parts.push(...withoutWrittenTwice(shifted, result.recognised.segments, left));
  }
  return parts;
}

/** What was left out is recognised in the language of the rest. */
function settingOf(whole: WindowPart, { language }: RecognisedWindow): LanguageSetting {
  return whole.language === 'mixed' ? settingOfLanguage[language] : whole.language;
}

function cutPart(
  { audio, speech, language }: WindowPart,
  { startSeconds, endSeconds }: SpokenStretch,
): WindowPart {
  return {
    audio: audio.subarray(Math.floor(startSeconds * pcmSampleRate), Math.ceil(endSeconds * pcmSampleRate)),
    speech: speech
      .map((stretch) => ({
        startSeconds: Math.max(stretch.startSeconds, startSeconds) - startSeconds,
        endSeconds: Math.min(stretch.endSeconds, endSeconds) - startSeconds,
      }))
      .filter((stretch) => stretch.endSeconds > stretch.startSeconds),
    language,
  };
}
