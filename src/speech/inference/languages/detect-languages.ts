import { pcmSampleRate } from '../../../audio/pcm.ts';
import { framesPerSecond } from '../../../model/whisper-shape.ts';
import {
  type LanguageEvidence,
  languageOfSetting,
  likeliestLanguage,
  type SpokenLanguage,
} from '../../transcript/languages.ts';
import type { SpokenStretch } from '../../windows/speech-window.ts';
import type { LanguageRun, WindowJob } from '../../windows/window-messages.ts';
import type { Vocabulary } from '../decoding/vocabulary.ts';
import { type ContextFrames, framesBefore } from '../features/context-frames.ts';
import type { FrameStretch, WhisperDecoder } from '../network/whisper-decoder.ts';
import { languageRuns, logShare } from './language-runs.ts';

/**
 * Mandarin with English words in it sounds half English: on recordings, log p(zh) − log p(en) is −1 … 6 for such sentences and
 * below −5 for English ones.
 */
const englishHandicap = 2.5;

/**
 * A window by itself is too easily taken for Taiwanese. This is the largest handicap at which no Taiwanese recording of the half that is
 * chosen on is lost, hard copies among them (docs/lab).
 */
const taiwaneseHandicap = 2;

/**
 * The adapter learnt to give each language its share of a whole recording. For one stretch by itself it underrates Taiwanese:
 * log p(nan) − log p(zh) is −0.8 … 4.6 for Taiwanese stretches, −3.9 and less for Mandarin ones.
 */
const taiwaneseBonus = 2;
/** A language with a smaller share of the whole window is not spoken in any of its stretches. */
const leastShare = 0.02;

type LanguageNetwork = {
  decoder: WhisperDecoder;
  vocabulary: Vocabulary;
  vocabularySize: number;
  /** The model has learnt Taiwanese. */
  adapted: boolean;
};

/** Which languages are spoken where in a window: the decoder is asked about every stretch of speech by itself, in one run. */
export async function detectLanguages(
  { decoder, vocabulary, vocabularySize, adapted }: LanguageNetwork,
  row: number,
  job: WindowJob,
  context: ContextFrames,
): Promise<{ languages: LanguageRun[]; noSpeechProbability: number }> {
  const endSeconds = job.audio.length / pcmSampleRate;
  const asked = job.language === 'mixed' && job.speech.length > 1 ? job.speech : [];
  const stretches = [{ from: 0, to: context.length }, ...asked.map((stretch) => toFrames(stretch, context))];
  const answers = await decoder.probe(row, vocabulary.startOfTranscript, stretches);
  const [whole, ...parts] = stretches.map((_, index): LanguageEvidence => {
    const answer = answers.subarray(index * vocabularySize, (index + 1) * vocabularySize);
    return {
      zh: answer[vocabulary.languages.zh]!,
      en: answer[vocabulary.languages.en]! - englishHandicap,
      nan: adapted ? answer[vocabulary.languages.nan]! : Number.NEGATIVE_INFINITY,
    };
  });
  const noSpeechProbability = Math.exp(answers[vocabulary.noSpeech]!);
  if (asked.length > 0) {
    const evidence = adapted ? parts.map((part) => amongSpoken(part, whole!)) : parts;
    return { languages: languageRuns(asked, evidence, endSeconds), noSpeechProbability };
  }
  const asOne = { ...whole!, nan: whole!.nan - taiwaneseHandicap };
  const language = languageOfSetting(job.language) ?? likeliestLanguage(asOne);
  return { languages: [{ language, startSeconds: 0, endSeconds }], noSpeechProbability };
}

/** The evidence of a stretch, for the languages that are spoken in the window at all. */
function amongSpoken(part: LanguageEvidence, whole: LanguageEvidence): LanguageEvidence {
  const kept = (language: SpokenLanguage, bonus = 0) =>
    logShare(whole, language) < Math.log(leastShare) ? Number.NEGATIVE_INFINITY : part[language] + bonus;
  return { zh: kept('zh'), en: kept('en'), nan: kept('nan', taiwaneseBonus) };
}

function toFrames({ startSeconds, endSeconds }: SpokenStretch, context: ContextFrames): FrameStretch {
  const from = Math.min(
    context.length - 1,
    framesBefore(context, Math.floor(startSeconds * framesPerSecond)),
  );
  return { from, to: Math.max(from + 1, framesBefore(context, Math.ceil(endSeconds * framesPerSecond))) };
}
