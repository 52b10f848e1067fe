// `npm run bench:accuracy`: error rates on recorded sentences, for this project's engine and its peers.
import { rmSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { choose, chooseNumbers, chooseSeveral, readOptions } from '../evaluation/command-options.ts';
import { endProgress, showProgress } from '../evaluation/progress.ts';
import { addScores, errorRate, type Score, score } from '../evaluation/scoring.ts';
import { atSpeeds } from './altered-speed.ts';
import { languageFor } from './asked-language.ts';
import { createEngine } from './engines/create-engine.ts';
import {
  type Engine,
  type EngineName,
  engineNames,
  type ModelSize,
  modelSizes,
  type Transcription,
} from './engines/engine.ts';
import { readSpeechSets, type Sentence, type SpeechSet, speechFolder } from './speech-sets.ts';
import { makeSwitchingSet, switchingNames } from './switching-sets.ts';
import { formatTable } from './table.ts';

type Result = {
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
  looseScore: Score;
  heardRightly?: boolean;
};

const values = readOptions({
  sets: { type: 'string' },
  limit: { type: 'string' },
  engine: { type: 'string', default: 'siann' },
  model: { type: 'string', default: 'small' },
  language: { type: 'string' },
  context: { type: 'string', default: 'short' },
  speeds: { type: 'string', default: '1' },
  threads: { type: 'string', default: '2' },
  json: { type: 'string' },
  worst: { type: 'boolean', default: false },
});
const engines = chooseSeveral('engine', engineNames, values.engine);
const model: ModelSize = choose('model', modelSizes, values.model);
const [limit] = values.limit === undefined ? [] : chooseNumbers('limit', values.limit);
const context = choose('context', ['short', 'full'], values.context);
const speeds = chooseNumbers('speeds', values.speeds);
const scratch = await mkdtemp(join(tmpdir(), 'siann-accuracy-'));
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));
const sets: SpeechSet[] = [];
for (const set of await chosenSets())
  sets.push(await atSpeeds({ ...set, sentences: set.sentences.slice(0, limit) }, speeds, scratch));

const results: Result[] = [];
for (const name of engines) {
  await using engine = await createEngine(name, { model, threads: Number(values.threads), context });
  for (const set of sets) await scoreSet(engine, set);
}
console.log(summary());
if (values.worst) console.log(`\n${worstSentences()}`);

/** Those named, or all in the folder and, for engines that can switch, those spliced from them. */
async function chosenSets(): Promise<SpeechSet[]> {
  const present = await readSpeechSets(speechFolder(process.env));
  const names = values.sets?.split(',') ?? [...present.map(({ name }) => name), ...switchingNames()];
  const recorded = names.filter((name) => !switchingNames().includes(name));
  const read = await readSpeechSets(speechFolder(process.env), recorded);
  const made: SpeechSet[] = [];
  for (const name of names.filter((each) => switchingNames().includes(each)))
    made.push(await makeSwitchingSet(name, present, scratch));
  return [...read, ...made];
}

async function scoreSet(engine: Engine, set: SpeechSet): Promise<void> {
  const language = languageFor(engine.name, set.language, values.language);
  for (const [index, sentence] of set.sentences.entries()) {
    showProgress(`${engine.name} ${set.name} ${index + 1}/${set.sentences.length}`);
    const heard = await engine.transcribe(sentence.file, language ? { language } : {});
    results.push(toResult(engine.name, set, sentence, heard));
    if (values.json) await writeFile(values.json, JSON.stringify(results, null, 1));
  }
  endProgress();
}

function toResult(
  engine: EngineName,
  set: SpeechSet,
  sentence: Sentence,
  { text, seconds, language }: Transcription,
): Result {
  const against = (reference: string) => score(reference, text);
  const scores = [sentence.text, ...(sentence.mandarin ? [sentence.mandarin] : [])].map(against);
  const tells = language !== undefined && !switchingNames().includes(set.name);
  return {
    engine,
    set: set.name,
    file: basename(sentence.file),
    audioSeconds: sentence.seconds,
    seconds,
    reference: sentence.text,
    hypothesis: text,
    score: scores[0]!,
    looseScore: scores.reduce((best, each) => (errorRate(each) < errorRate(best) ? each : best)),
    ...(tells && { heardRightly: language === set.language }),
    foldedScore: score(sentence.text, text, { numbersFolded: true }),
  };
}

function summary(): string {
  const perEngine = ['error', 'folded', 'loose', 'S/D/I', 'language', 'RTF'];
  const titles = engines.flatMap((name) =>
    perEngine.map((title) => (engines.length > 1 ? `${name} ${title}` : title)),
  );
  const rows = sets.map((set) => {
    const ofSet = results.filter((result) => result.set === set.name);
    const units = addScores(
      ofSet.filter(({ engine }) => engine === engines[0]).map((result) => result.score),
    ).units;
    const figures = engines.flatMap((name) => figuresOf(ofSet.filter((result) => result.engine === name)));
    return [set.name, String(set.sentences.length), String(units), ...figures];
  });
  return formatTable(['set', 'sentences', 'units', ...titles], rows);
}

function figuresOf(some: Result[]): string[] {
  const total = addScores(some.map((result) => result.score));
  const folded = addScores(some.map((result) => result.foldedScore));
  const seconds = some.reduce((sum, result) => sum + result.seconds, 0);
  const told = some.filter(({ heardRightly }) => heardRightly !== undefined);
  const audioSeconds = some.reduce((sum, result) => sum + result.audioSeconds, 0);
  return [
    percent(errorRate(total)),
    percent(errorRate(folded)),
    percent(errorRate(addScores(some.map((result) => result.looseScore)))),
    `${total.substitutions}/${total.deletions}/${total.insertions}`,
    told.length === 0 ? '' : percent(told.filter(({ heardRightly }) => heardRightly).length / told.length),
    (seconds / audioSeconds).toFixed(3),
  ];
}

function worstSentences(): string {
  const bad = results.filter((result) => errorRate(result.foldedScore) > 0.5);
  return bad
    .map(
      ({ engine, set, file, foldedScore, reference, hypothesis }) =>
        `${engine} ${set}/${file} ${percent(errorRate(foldedScore))}\n  said   ${reference}\n  heard  ${hypothesis.trim()}`,
    )
    .join('\n');
}

function percent(rate: number): string {
  return `${(rate * 100).toFixed(1)} %`;
}
