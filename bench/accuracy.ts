// `npm run bench:accuracy`: error rates on recorded sentences, for this project's engine and its peers.
import { rmSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { choose, chooseNumbers, chooseSeveral } from '../evaluation/command-options.ts';
import { endProgress, showProgress } from '../evaluation/progress.ts';
import { addScores, errorRate } from '../evaluation/scoring.ts';
import { accuracyFigures } from './accuracy/accuracy-figures.ts';
import { type SentenceResult, toSentenceResult } from './accuracy/sentence-result.ts';
import { atSpeeds } from './altered-speed.ts';
import { languageFor } from './asked-language.ts';
import { createEngine } from './engines/create-engine.ts';
import { type Engine, engineNames, type ModelSize, modelSizes } from './engines/engine.ts';
import { definingOptions, readCommand } from './options.ts';
import { createRecord, printMissed } from './run-checks.ts';
import { readSpeechSets, type SpeechSet, speechFolder } from './speech-sets.ts';
import { makeSwitchingSet, switchingNames } from './switching-sets.ts';
import { formatTable } from './table.ts';

const { command, values } = readCommand({
  script: 'bench:accuracy',
  selecting: ['sets', 'engines'],
  defaults: {
    sets: undefined,
    limit: undefined,
    engines: 'siann',
    model: 'small',
    language: undefined,
    context: 'short',
    speeds: '1',
    threads: '2',
    json: undefined,
    worst: false,
  },
});
const engines = chooseSeveral('engines', engineNames, values.engines);
const model: ModelSize = choose('model', modelSizes, values.model);
const [limit] = values.limit === undefined ? [] : chooseNumbers('limit', values.limit);
const context = choose('context', ['short', 'full'], values.context);
const speeds = chooseNumbers('speeds', values.speeds);
const scratch = await mkdtemp(join(tmpdir(), 'siann-accuracy-'));
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));
const sets: SpeechSet[] = [];
for (const set of await chosenSets())
  sets.push(await atSpeeds({ ...set, sentences: set.sentences.slice(0, limit) }, speeds, scratch));

const record = createRecord(command);
const results: SentenceResult[] = [];
for (const name of engines) {
  await using engine = await createEngine(name, { model, threads: Number(values.threads), context });
  for (const set of sets) await scoreSet(engine, set);
}
console.log(summary());
const options = definingOptions(command, 'accuracy');
const figures = accuracyFigures(results, {
  model,
  asShipped: options === undefined,
  isAside: options !== undefined && /limit|context|PRECISION/.test(options),
  isWhole: values.sets === undefined,
});
record(figures);
printMissed(figures);
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
    const transcription = await engine.transcribe(sentence.file, language ? { language } : {});
    results.push(toSentenceResult(engine.name, set, sentence, transcription));
    if (values.json) await writeFile(values.json, JSON.stringify(results, null, 1));
  }
  endProgress();
}

function summary(): string {
  const perEngine = ['error', 'folded', 'loose', 'S/D/I', 'empty', 'twice', 'language', 'RTF'];
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

function figuresOf(some: SentenceResult[]): string[] {
  const total = addScores(some.map((result) => result.score));
  const folded = addScores(some.map((result) => result.foldedScore));
  const seconds = some.reduce((sum, result) => sum + result.seconds, 0);
  const loose = some.flatMap(({ looseScore }) => looseScore ?? []);
  const told = some.filter(({ languageFound }) => languageFound !== undefined);
  const audioSeconds = some.reduce((sum, result) => sum + result.audioSeconds, 0);
  return [
    percent(errorRate(total)),
    percent(errorRate(folded)),
    loose.length === 0 ? '' : percent(errorRate(addScores(loose))),
    `${total.substitutions}/${total.deletions}/${total.insertions}`,
    String(some.filter(({ hypothesis }) => hypothesis.trim() === '').length),
    String(some.filter(({ doubled }) => doubled > 0).length),
    told.length === 0 ? '' : percent(told.filter(({ languageFound }) => languageFound).length / told.length),
    (seconds / audioSeconds).toFixed(3),
  ];
}

function worstSentences(): string {
  const bad = results.filter((result) => errorRate(result.foldedScore) > 0.5);
  return bad
    .map(
      ({ engine, set, file, foldedScore, reference, hypothesis }) =>
        `${engine} ${set}/${file} ${percent(errorRate(foldedScore))}\n  said   ${reference}\n  wrote  ${hypothesis.trim()}`,
    )
    .join('\n');
}

function percent(rate: number): string {
  return `${(rate * 100).toFixed(1)} %`;
}
