import type { SpeechWindow } from '../windows/speech-window.ts';
import type { RecognisedSegment, RecognisedWindow } from '../windows/window-messages.ts';
import { inventedPhrase } from './hallucination-phrases.ts';

/** Below these, the model or the voice detector was not sure that anybody spoke. */
const sureLogProbability = -0.6;
const sureVoice = 0.75;
const noSpeechThreshold = 0.6;
const hopelessLogProbability = -1;
/** Of speech, clear or in noise, a window's mean lies above 0.8. Of animals, coughs and machines that pass for speech, it lies below 0.65. */
const doubtfulVoice = 0.7;
/** Shorter than most words, and the decoder guesses: a sneeze, a bark, a knock. */
const shortSpeechSeconds = 0.75;
const guessedLogProbability = -1.2;
/** What was said so clearly is kept, however quiet it was. */
const clearLogProbability = -0.35;

/** A window's segments without those that Whisper wrote although nobody spoke. */
export function withoutInvented(recognised: RecognisedWindow, window: SpeechWindow): RecognisedSegment[] {
  const { noSpeechProbability, averageLogProbability } = recognised;
  if (noSpeechProbability > noSpeechThreshold && averageLogProbability < hopelessLogProbability) return [];
  if (window.meanProbability < doubtfulVoice && averageLogProbability < clearLogProbability) return [];
  if (spokenSeconds(window) < shortSpeechSeconds && averageLogProbability < guessedLogProbability) return [];
  return recognised.segments.filter((segment) => {
    const invented = inventedPhrase(segment.text);
    if (invented === undefined) return true;
    if (invented === 'always') return false;
    const sure = meanLogProbability(segment) > sureLogProbability && noSpeechProbability < noSpeechThreshold;
    return sure && window.meanProbability > sureVoice;
  });
}

function spokenSeconds({ speech }: SpeechWindow): number {
  return speech.reduce((sum, { startSeconds, endSeconds }) => sum + endSeconds - startSeconds, 0);
}

export function meanLogProbability({ logProbabilities }: RecognisedSegment): number {
  return logProbabilities.reduce((sum, each) => sum + each, 0) / Math.max(1, logProbabilities.length);
}
