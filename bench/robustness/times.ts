import { streamWave } from '../../evaluation/wave-file.ts';
import type { Recogniser } from '../../src/speech/recogniser.ts';
import type { Segment } from '../../src/speech/transcript/segment.ts';
import { atMost, type Explain, type Figure, none } from '../figures/figure.ts';
import { median } from '../median.ts';
import type { SpeechSet } from '../speech-sets.ts';
import { type ClearSentence, findClearSentences } from './clear-sentence.ts';
import { joinWithSilences, type SpokenSentence } from './timed-recording.ts';

/** Four lengths for three sets: every set comes before and after each of them. */
const silencesSeconds = [0.8, 1.5, 3, 5];
const barSeconds = 0.3;

type TimesOptions = {
  open: () => Promise<Recogniser>;
  sets: SpeechSet[];
  /** Of each set. */
  sentences: number;
  explain: Explain;
};

/** How far a sentence's segments begin and end from where it does. */
export async function measureTimes({ open, sets, sentences, explain }: TimesOptions): Promise<Figure[]> {
  const chosen: ClearSentence[][] = [];
  for (const set of sets) chosen.push(await findClearSentences(set, sentences));
  const { samples, spoken } = joinWithSilences(inTurn(chosen), silencesSeconds);
  if (spoken.length === 0) throw new Error('No sentence in these sets has certain edges');
  await using recogniser = await open();
  const bytes = streamWave([samples], samples.length);
  const segments: Segment[] = [];
  for await (const segment of recogniser.transcribe(bytes, { language: 'mixed' })) segments.push(segment);

  const errors = spoken.map((sentence) => timeErrors(sentence, segments));
  for (const { startSeconds, endSeconds, text } of segments)
    explain(`found  ${stretch(startSeconds, endSeconds)}  ${text}`);
  for (const [index, sentence] of spoken.entries()) explain(describe(sentence, errors[index]));
  const found = errors.filter((error) => error !== undefined);
  const missed = errors.length - found.length;
  return [
    ...summarise(
      'start',
      found.map(({ start }) => start),
    ),
    ...summarise(
      'end',
      found.map(({ end }) => end),
    ),
    {
      id: 'times/missed',
      what: 'sentences without a segment',
      ...none(missed),
      note: `of ${errors.length}`,
    },
  ];
}

/** The first of each set, then the second of each … */
function inTurn(sets: ClearSentence[][]): ClearSentence[] {
  const longest = Math.max(...sets.map((set) => set.length));
  return Array.from({ length: longest }, (_, index) => sets.flatMap((set) => set[index] ?? [])).flat();
}

/** In seconds; late is positive. */
type TimeErrors = { start: number; end: number };

function timeErrors(sentence: SpokenSentence, segments: Segment[]): TimeErrors | undefined {
  const over = segments.filter(
    ({ startSeconds, endSeconds }) =>
      startSeconds < sentence.endSeconds && endSeconds > sentence.startSeconds,
  );
  if (over.length === 0) return undefined;
  return {
    start: over[0]!.startSeconds - sentence.startSeconds,
    end: over.at(-1)!.endSeconds - sentence.endSeconds,
  };
}

function summarise(edge: keyof TimeErrors, errors: number[]): Figure[] {
  const middle = median(errors.map(Math.abs)) ?? Number.POSITIVE_INFINITY;
  const worst = errors.reduce((most, error) => (Math.abs(error) > Math.abs(most) ? error : most), 0);
  const late = errors.filter((error) => error > 0).length;
  return [
    {
      id: `times/${edge}-median`,
      what: `error of a sentence’s ${edge}: median`,
      ...atMost(barSeconds, middle, 2),
      unit: 's',
      note: `${late} late, ${errors.length - late} early`,
    },
    {
      id: `times/${edge}-worst`,
      what: `error of a sentence’s ${edge}: worst`,
      ...atMost(barSeconds, Math.abs(worst), 2),
      unit: 's',
      note: worst > 0 ? 'late' : 'early',
    },
  ];
}

function describe(
  { set, startSeconds, endSeconds, text }: SpokenSentence,
  errors: TimeErrors | undefined,
): string {
  const outcome = errors ? `start ${signed(errors.start)}, end ${signed(errors.end)}` : 'no segment';
  return `spoken ${stretch(startSeconds, endSeconds)}  ${outcome}  ${set}: ${text}`;
}

function stretch(startSeconds: number, endSeconds: number): string {
  return `${startSeconds.toFixed(2)}–${endSeconds.toFixed(2)} s`;
}

function signed(seconds: number): string {
  return `${seconds < 0 ? '−' : '+'}${Math.abs(seconds).toFixed(2)}`;
}
