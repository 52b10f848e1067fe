import { recogniseParts, type WindowPart } from '../recognition/recognise-parts.ts';
import { worstCompressionRatio } from '../text/repetition.ts';
import type { LanguageSetting } from '../transcript/languages.ts';
import type { SpeechWindow } from '../windows/speech-window.ts';
import type { RecognisedWindow, WindowJob, WindowResult } from '../windows/window-messages.ts';
import type { StreamText } from './stream-recogniser.ts';
import { writeUtterance } from './write-utterance.ts';

/** The text of an utterance, and what helps to recognise the same utterance when it is longer. */
export type UtteranceText = StreamText & {
  /** The tokens that a longer window can begin with. */
  draft: number[];
  averageLogProbability: number;
  /** The tokens of its words: the model is told them with the next utterance. */
  textTokens: number[];
};

type Options = {
  window: SpeechWindow;
  language: LanguageSetting;
  draft: number[];
  /** A partial is tried once and taken for one language; a final gets all the care that files get. */
  kind: 'partial' | 'final';
  words: boolean;
  promptTokens: number[];
  run(job: WindowJob): Promise<WindowResult>;
};

/** Lower than for whole sentences: the end of half a sentence is seldom likely. */
const worstLogProbability = -2;

/** Resolves to undefined for a partial that went wrong. */
export async function recogniseUtterance(options: Options): Promise<UtteranceText | undefined> {
  const { window, language, kind } = options;
  const whole = { audio: window.audio, speech: window.speech, language };
  const shared = { promptTokens: options.promptTokens, temperature: 0, context: 'short' } as const;
  if (kind === 'partial') {
    const speech = [
      { startSeconds: window.speech[0]!.startSeconds, endSeconds: window.speech.at(-1)!.endSeconds },
    ];
    const job = {
      ...shared,
      words: false,
      urgency: 'partial',
      mayRetry: false,
      draft: options.draft,
    } as const;
    const result = await options.run({ ...job, ...whole, speech });
    if ('languages' in result || wentWrong(result.recognised)) return undefined;
    return written([result.recognised]);
  }
  const job = { ...shared, words: options.words, urgency: 'final', mayRetry: true } as const;
  const recognise = (part: WindowPart) =>
    options.run({ ...job, ...part, draft: part.audio === whole.audio ? options.draft : [] });
  return written(await recogniseParts(whole, recognise));

  function written(parts: RecognisedWindow[]): UtteranceText {
    const [only] = parts;
    const draft = parts.length === 1 && only && !wentWrong(only) ? only.tokens : [];
    const textTokens = draft.length > 0 ? only!.segments.flatMap(({ tokens }) => tokens) : [];
    const averageLogProbability = only?.averageLogProbability ?? Number.NEGATIVE_INFINITY;
    return { ...writeUtterance(parts, window, language), draft, averageLogProbability, textTokens };
  }
}

function wentWrong({ looped, compressionRatio, averageLogProbability }: RecognisedWindow): boolean {
  return looped || compressionRatio > worstCompressionRatio || averageLogProbability < worstLogProbability;
}
