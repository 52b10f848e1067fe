import { basename } from 'node:path';
import { doubledClauses } from '../../evaluation/doubled-clauses.ts';
import { errorRate, type Score, score } from '../../evaluation/scoring.ts';
import type { EngineName, Transcription } from '../engines/engine.ts';
import type { Sentence, SpeechSet } from '../speech-sets.ts';
import { switchingNames } from '../switching-sets.ts';

/** One sentence as one engine wrote it. */
export type SentenceResult = {
  engine: EngineName;
  set: string;
  file: string;
  audioSeconds: number;
  seconds: number;
  reference: string;
  hypothesis: string;
  score: Score;
  foldedScore: Score;
  /** Against the reference or its translation, whichever is nearer. */
  looseScore?: Score;
  /** Clauses that the text has twice in a row and the reference once. */
  doubled: number;
  /** Not known where several languages are spoken, or where the engine does not say. */
  languageFound?: boolean;
};

export function toSentenceResult(
  engine: EngineName,
  set: SpeechSet,
  sentence: Sentence,
  { text, seconds, language }: Transcription,
): SentenceResult {
  const strict = score(sentence.text, text);
  const tells = language !== undefined && !switchingNames().includes(set.name);
  return {
    engine,
    set: set.name,
    file: basename(sentence.file),
    audioSeconds: sentence.seconds,
    seconds,
    reference: sentence.text,
    hypothesis: text,
    score: strict,
    foldedScore: score(sentence.text, text, { numbersFolded: true }),
    doubled: doubledClauses(sentence.text, text),
    ...(sentence.mandarin && { looseScore: nearer(strict, score(sentence.mandarin, text)) }),
    ...(tells && { languageFound: language === set.language }),
  };
}

function nearer(one: Score, other: Score): Score {
  return errorRate(other) < errorRate(one) ? other : one;
}
