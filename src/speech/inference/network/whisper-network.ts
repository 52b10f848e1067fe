import type { TokenRules } from '../decoding/token-rules.ts';
import type { Vocabulary } from '../decoding/vocabulary.ts';
import type { LogMel } from '../features/log-mel.ts';
import type { WhisperDecoder } from './whisper-decoder.ts';
import type { WhisperEncoder } from './whisper-encoder.ts';

/** Everything that is loaded for recognising windows. */
export type WhisperNetwork = {
  vocabulary: Vocabulary;
  vocabularySize: number;
  /** The model knows Taiwanese, and can do with short contexts. */
  adapted: boolean;
  rules: TokenRules;
  logMel: LogMel;
  encoder: WhisperEncoder;
  decoder: WhisperDecoder;
};
