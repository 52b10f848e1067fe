import { pcmSampleRate } from '../../audio/pcm.ts';
import type { SpokenLanguage } from '../transcript/languages.ts';
import type { RecognisedSegment, RecognisedWindow, WindowJob } from '../windows/window-messages.ts';
import type { Vocabulary } from './decoding/vocabulary.ts';
import type { Attempt } from './decoding/window-decoding.ts';
import type { ContextFrames } from './features/context-frames.ts';
import type { WhisperDecoder } from './network/whisper-decoder.ts';
import { reachOverWords, seemsToLeaveOut } from './times/attended-segments.ts';
import { snapToSpeech } from './times/snap-to-speech.ts';
import { endWithLastWord, isSparse } from './times/sparse-text.ts';
import { longSilences, reachesOver, splitAtSilences } from './times/split-at-silences.ts';
import { timedSegments } from './times/timed-segments.ts';
import { alignWords, keepWithin } from './times/word-times.ts';

type Network = { vocabulary: Vocabulary; decoder: WhisperDecoder };
type Window = {
  job: WindowJob;
  context: ContextFrames;
  language: SpokenLanguage;
  noSpeechProbability: number;
};

/** What a window's tokens say and when. The window must still have its row in the decoder, which gives words their times. */
export async function recognisedWindow(
  network: Network,
  row: number,
  window: Window,
  attempt: Attempt,
): Promise<RecognisedWindow> {
  const { language, noSpeechProbability } = window;
  const segments = await segmentsOf(network, row, window, attempt);
  const { temperature, averageLogProbability, compressionRatio, looped } = attempt;
  const isText = (token: number) => token < network.vocabulary.endOfText;
  const tokens = attempt.tokens.slice(0, attempt.tokens.findLastIndex(isText) + 1);
  return {
    language,
    noSpeechProbability,
    temperature,
    averageLogProbability,
    compressionRatio,
    looped,
    tokens,
    segments,
  };
}

async function segmentsOf(
  { vocabulary, decoder }: Network,
  row: number,
  { job, context, language }: Window,
  attempt: Attempt,
): Promise<RecognisedSegment[]> {
  const audioSeconds = job.audio.length / pcmSampleRate;
  const segments = timedSegments(vocabulary, attempt, audioSeconds);
  const silences = longSilences(job.speech);
  const reaching = segments.some((segment) => silences.some((silence) => reachesOver(segment, silence)));
  const sparse = job.mayRetry && segments.some((segment) => isSparse(segment, job.speech));
  const leavesOut = job.mayRetry && seemsToLeaveOut(segments, job.speech, audioSeconds);
  if (segments.length > 0 && (job.words || reaching || sparse || leavesOut)) {
    await alignWords({ decoder, row, vocabulary, language, segments, audioSeconds, context });
    if (leavesOut) reachOverWords(segments);
    for (const segment of segments) keepWithin(segment);
  }
  if (sparse) for (const segment of segments) endWithLastWord(segment, job.speech);
  const split = splitAtSilences(vocabulary, segments, silences);
  snapToSpeech(split, job.speech);
  return split;
}
