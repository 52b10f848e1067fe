import { pcmSampleRate } from '../audio/pcm.ts';
import type { FrameStretch, WhisperDecoder } from '../inference/whisper-decoder.ts';
import { fullContextFrames } from '../model/whisper-shape.ts';
import { type LanguageEvidence, type LanguageRun, languageRuns } from './language-runs.ts';
import type { Vocabulary } from './vocabulary.ts';
import type { WindowJob } from './window-messages.ts';
import type { SpokenStretch } from './windows.ts';

const framesPerSecond = 50;
/**
 * Mandarin with English words in it sounds half English: on recordings, log p(zh) − log p(en) is −1 … 6 for such sentences and
 * below −5 for English ones.
 */
const mandarinPrior = 2.5;

type Listening = { decoder: WhisperDecoder; vocabulary: Vocabulary; vocabularySize: number };

/** Which languages are spoken where in a window: every stretch of speech is asked about by itself, all in one go. */
export async function listenForLanguages(
  { decoder, vocabulary, vocabularySize }: Listening,
  place: number,
  job: WindowJob,
): Promise<{ languages: LanguageRun[]; noSpeechProbability: number }> {
  const endSeconds = job.audio.length / pcmSampleRate;
  const asked = job.language === 'mixed' && job.speech.length > 1 ? job.speech : [];
  const stretches = [{ from: 0, to: fullContextFrames }, ...asked.map(toFrames)];
  const rows = await decoder.probe(place, vocabulary.startOfTranscript, stretches);
  const [whole, ...parts] = stretches.map((_, index): LanguageEvidence => {
    const row = index * vocabularySize;
    return {
      zh: rows[row + vocabulary.languages.zh]! + mandarinPrior,
      en: rows[row + vocabulary.languages.en]!,
    };
  });
  const noSpeechProbability = Math.exp(rows[vocabulary.noSpeech]!);
  if (asked.length > 0) return { languages: languageRuns(asked, parts, endSeconds), noSpeechProbability };
  const heard = whole!.zh >= whole!.en ? 'zh' : 'en';
  const language = job.language === 'mixed' ? heard : job.language === 'en-US' ? 'en' : 'zh';
  return { languages: [{ language, startSeconds: 0, endSeconds }], noSpeechProbability };
}

function toFrames({ startSeconds, endSeconds }: SpokenStretch): FrameStretch {
  const from = Math.floor(Math.max(0, startSeconds) * framesPerSecond);
  return {
    from,
    to: Math.min(fullContextFrames, Math.max(from + 1, Math.ceil(endSeconds * framesPerSecond))),
  };
}
