// `npm run bench:accuracy`: error rates on recorded sentences, for this project's engine and its peers.
import { writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { createEngine } from './engines/create-engine.ts';
import { type Engine, type EngineName, engineNames, type ModelSize, modelSizes } from './engines/engine.ts';
import { choose, chooseSeveral, languageFor } from './options.ts';
import { addScores, errorRate, type Score, score } from './scoring.ts';
import { readSpeechSets, type Sentence, type SpeechSet, speechFolder } from './speech-sets.ts';
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
};

const { values } = parseArgs({
  options: {
    sets: { type: 'string' },
    limit: { type: 'string' },
    engine: { type: 'string', default: 'siann' },
    model: { type: 'string', default: 'small' },
    language: { type: 'string' },
    threads: { type: 'string', default: '2' },
    json: { type: 'string' },
    worst: { type: 'boolean', default: false },
  },
});
const engines = chooseSeveral('engine', engineNames, values.engine);
const model: ModelSize = choose('model', modelSizes, values.model);
const limit = values.limit === undefined ? undefined : Number(values.limit);
const sets = (await readSpeechSets(speechFolder(process.env), values.sets?.split(','))).map((set) => ({
  ...set,
  sentences: set.sentences.slice(0, limit),
}));

const results: Result[] = [];
for (const name of engines) {
  await using engine = await createEngine(name, { model, threads: Number(values.threads) });
  for (const set of sets) await scoreSet(engine, set);
}
console.log(summary());
if (values.worst) console.log(`\n${worstSentences()}`);

async function scoreSet(engine: Engine, set: SpeechSet): Promise<void> {
  const language = languageFor(engine.name, set.language, values.language);
  for (const [index, sentence] of set.sentences.entries()) {
    process.stderr.write(`\r${engine.name} ${set.name} ${index + 1}/${set.sentences.length}\x1b[K`);
    const { text, seconds } = await engine.transcribe(sentence.file, language ? { language } : {});
    results.push(toResult(engine.name, set.name, sentence, text, seconds));
    if (values.json) await writeFile(values.json, JSON.stringify(results, null, 1));
  }
  process.stderr.write('\n');
}

function toResult(
  engine: EngineName,
  set: string,
  sentence: Sentence,
  text: string,
  seconds: number,
): Result {
  return {
    engine,
    set,
    file: basename(sentence.file),
    audioSeconds: sentence.seconds,
    seconds,
    reference: sentence.text,
    hypothesis: text,
    score: score(sentence.text, text),
    foldedScore: score(sentence.text, text, { numbersFolded: true }),
  };
}

function summary(): string {
  const perEngine = ['error', 'folded', 'S/D/I', 'RTF'];
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
  const audioSeconds = some.reduce((sum, result) => sum + result.audioSeconds, 0);
  return [
    percent(errorRate(total)),
    percent(errorRate(folded)),
    `${total.substitutions}/${total.deletions}/${total.insertions}`,
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
