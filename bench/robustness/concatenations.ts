import { decodeAudio } from '../../evaluation/decoded-audio.ts';
import { doubledClauses } from '../../evaluation/doubled-clauses.ts';
import { createRandom, type Random } from '../../evaluation/random.ts';
import { streamWave } from '../../evaluation/wave-file.ts';
import type { Recogniser } from '../../src/speech/recogniser.ts';
import { joinText } from '../../src/speech/text/join-text.ts';
import type { Segment } from '../../src/speech/transcript/segment.ts';
import { type Explain, type Figure, none } from '../figures/figure.ts';
import type { Sentence, SpeechSet } from '../speech-sets.ts';
import { joinWithSilences, type TimedRecording } from './timed-recording.ts';

type ConcatenationOptions = {
  open: () => Promise<Recogniser>;
  sets: SpeechSet[];
  recordings: number;
  seed: number;
  explain: Explain;
};

/** Longer ones are whole conversations. */
const longestSentence = 12;
const fewest = 2;
const most = 5;
/** From none, where a sentence is cut off by the next, to one that a window does not keep. */
const silencesSeconds = [0, 0.1, 0.2, 0.3, 0.5, 0.8, 1.5, 3];
/** Half of the recordings are of one set, as most are of one language; the others are of any. */
const shareOfOneSet = 0.5;
const atOnce = 4;

/** Sentences joined at random: whether any of them is lost, and whether any clause of them is written twice. */
export async function measureConcatenations({
  open,
  sets,
  recordings,
  seed,
  explain,
}: ConcatenationOptions): Promise<Figure[]> {
  const short = sets
    .map((set) => ({ ...set, sentences: set.sentences.filter(({ seconds }) => seconds <= longestSentence) }))
    .filter(({ sentences }) => sentences.length > 0);
  const random = createRandom(seed);
  const plans = Array.from({ length: recordings }, () => planOf(short, random));
  const counts = { empty: 0, doubled: 0, sentences: 0, lost: 0 };
  await using recogniser = await open();
  let next = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (next < plans.length) {
        const number = next++;
        const recording = await joinPlanned(plans[number]!);
        await judge(recording, `recording ${number}`);
      }
    }),
  );
  return [
    counted('empty', 'joined sentences: recordings with an empty text', counts.empty, recordings),
    counted('doubled', 'joined sentences: recordings with a clause said twice', counts.doubled, recordings),
    counted('lost', 'joined sentences: sentences without a segment', counts.lost, counts.sentences),
  ];

  async function judge({ samples, spoken }: TimedRecording, name: string): Promise<void> {
    const segments: Segment[] = [];
    const bytes = streamWave([samples], samples.length);
    for await (const segment of recogniser.transcribe(bytes, { language: 'mixed' })) segments.push(segment);
    const said = spoken.map(({ text }) => text).join(' ');
    const text = joinText(segments.map((segment) => segment.text));
    const isDoubled = doubledClauses(said, text) > 0;
    const lost = spoken.filter(
      ({ startSeconds, endSeconds }) =>
        !segments.some((each) => each.startSeconds < endSeconds && each.endSeconds > startSeconds),
    );
    if (text === '') counts.empty++;
    if (isDoubled) counts.doubled++;
    counts.sentences += spoken.length;
    counts.lost += lost.length;
    if (isDoubled) explain(`${name}, a clause twice\n  said   ${said}\n  wrote  ${text}`);
    for (const sentence of lost) explain(`${name}, lost: ${sentence.text}`);
  }
}

type Plan = { sentences: Sentence[]; silences: number[] };

function planOf(sets: readonly SpeechSet[], random: Random): Plan {
  const only = random.next() < shareOfOneSet ? random.pick(sets) : undefined;
  const length = fewest + random.below(most - fewest + 1);
  return {
    sentences: Array.from({ length }, () => random.pick((only ?? random.pick(sets)).sentences)),
    silences: Array.from({ length: length + 1 }, () => random.pick(silencesSeconds)),
  };
}

async function joinPlanned({ sentences, silences }: Plan): Promise<TimedRecording> {
  const decoded = await Promise.all(
    sentences.map(async ({ file, text }) => ({ set: '', text, samples: await decodeAudio(file) })),
  );
  return joinWithSilences(decoded, silences);
}

function counted(id: string, what: string, count: number, of: number): Figure {
  return { id: `concatenations/${id}`, what, ...none(count), note: `of ${of}` };
}
