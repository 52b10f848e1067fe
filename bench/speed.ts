// `npm run bench:speed`: how fast this project's engine and its peers are, in one run on one machine.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { choose, chooseSeveral } from '../evaluation/command-options.ts';
import { decodeAudio } from '../evaluation/decoded-audio.ts';
import { showProgress } from '../evaluation/progress.ts';
import { errorRate, score } from '../evaluation/scoring.ts';
import { writeWave } from '../evaluation/wave-file.ts';
import { languageFor } from './asked-language.ts';
import { createEngine } from './engines/create-engine.ts';
import { type Engine, type EngineName, engineNames, engineTitles, modelSizes } from './engines/engine.ts';
import { openInSeparateProcess } from './engines/separate-process.ts';
import type { SiannStageTimes } from './engines/siann-stages.ts';
import { atLeast, atMost, type Figure, rounded } from './figures/figure.ts';
import { joinSentences } from './long-recording.ts';
import { median } from './median.ts';
import { readCommand } from './options.ts';
import { sampleChildMemory } from './process-memory.ts';
import { createRecord, printMissed } from './run-checks.ts';
import { readSpeechSets, type SpeechSet, speechFolder } from './speech-sets.ts';
import { formatTable } from './table.ts';

type MeasureInfo = {
  title: string;
  unit?: string;
  digits: number;
  bar?: { atMost: number } | { atLeast: number };
};

/** Bars are for model small. */
const measures = {
  realTimeFactor: { title: 'real-time factor, long file', digits: 3 },
  encoderSeconds: { title: 'encoder, window of 30 s', unit: 's', digits: 2 },
  tokenMilliseconds: { title: 'decoder, a token', unit: 'ms', digits: 1 },
  loneTokenMilliseconds: { title: 'decoder, a token of a window alone', unit: 'ms', digits: 1 },
  fullAgainstShort: { title: 'encoder, 30 s / 5 s of speech', digits: 1, bar: { atLeast: 8 } },
  peakMegabytes: { title: 'peak memory, all processes', unit: 'MB', digits: 0 },
  startSeconds: { title: 'cold start to the text of 3 s', unit: 's', digits: 2 },
  warmSeconds: { title: '3 s file', unit: 's', digits: 2 },
  besideLongSeconds: { title: '3 s file beside the long one', unit: 's', digits: 2, bar: { atMost: 3 } },
  errorPercent: { title: 'error on the long file, numbers folded', unit: '%', digits: 1 },
} as const satisfies Record<string, MeasureInfo>;
type Measure = keyof typeof measures;
type Figures = Partial<Record<Measure, number>>;
type Clip = { file: string; seconds: number; text: string };

const withPeer = process.env.WHISPER_CPP ? engineNames.join(',') : 'siann,transformers';
const { command, values } = readCommand({
  script: 'bench:speed',
  selecting: ['engines'],
  defaults: {
    engines: withPeer,
    sets: 'mandarin,mandarin-taiwan,mandarin-english',
    seconds: '600',
    repeat: '1',
    model: 'small',
    language: undefined,
    threads: String(availableParallelism()),
  },
});
const engines = chooseSeveral('engines', engineNames, values.engines);
const engineOptions = { model: choose('model', modelSizes, values.model), threads: Number(values.threads) };
const sets = await readSpeechSets(speechFolder(process.env), values.sets.split(','));
const record = createRecord(command);
const folder = await mkdtemp(join(tmpdir(), 'siann-speed-'));

try {
  const long = await writeLongClip();
  const short = await writeShortClip(sets);
  const figures = new Map<EngineName, Figures[]>(engines.map((name) => [name, []]));
  for (let round = 0; round < Number(values.repeat); round += 1)
    for (const name of engines) figures.get(name)!.push(await measure(name, long, short));
  console.log(
    `${machine()}; model ${values.model}, ${values.threads} threads, ${long.seconds} s from ${values.sets}\n`,
  );
  console.log(summary(figures));
  const recorded = speedFigures(figures);
  record(recorded);
  printMissed(recorded);
} finally {
  await rm(folder, { recursive: true });
}

async function writeLongClip(): Promise<Clip> {
  const seconds = Number(values.seconds);
  const { samples, text } = await joinSentences(sets, seconds);
  const file = join(folder, 'long.wav');
  await writeWave(file, samples);
  return { file, seconds, text };
}

/** The sentence that is nearest to three seconds. */
async function writeShortClip(from: SpeechSet[]): Promise<Clip> {
  const sentences = from.flatMap((set) => set.sentences);
  const [nearest] = sentences.sort((one, other) => Math.abs(one.seconds - 3) - Math.abs(other.seconds - 3));
  const file = join(folder, 'short.wav');
  await writeWave(file, await decodeAudio(nearest!.file));
  return { ...nearest!, file };
}

async function measure(name: EngineName, long: Clip, short: Clip): Promise<Figures> {
  const language = languageFor(name, sets[0]!.language, values.language);
  const options = language ? { language } : {};
  const memory = sampleChildMemory();
  progress(name, 'starting');
  const opened = performance.now();
  await using engine = await open(name);
  await engine.transcribe(short.file, options);
  const startSeconds = secondsSince(opened);
  const { seconds: warmSeconds } = await engine.transcribe(short.file, options);

  progress(name, 'long file');
  const { text, seconds, ...reported } = await engine.transcribe(long.file, options);
  const { peakBytes } = memory.stop();

  progress(name, 'a short file beside the long one');
  const background = engine.transcribe(long.file, options).catch(() => {}); // ended with the engine
  await sleep(2000);
  const asked = performance.now();
  await engine.transcribe(short.file, options);
  const besideLongSeconds = secondsSince(asked);
  await engine[Symbol.asyncDispose]();
  await background;
  const own = name === 'siann' ? await timeSiannStages() : undefined;
  const stages = own ?? reported.stages;

  return {
    realTimeFactor: seconds / long.seconds,
    ...(stages && {
      encoderSeconds: (stages.encoderSeconds / stages.encodedSeconds) * 30,
      tokenMilliseconds: (stages.decoderSeconds / stages.decoderTokens) * 1000,
    }),
    ...(own && {
      loneTokenMilliseconds: own.loneTokenMilliseconds,
      fullAgainstShort: own.fullAgainstShort,
    }),
    peakMegabytes: peakBytes / 2 ** 20,
    startSeconds,
    warmSeconds,
    besideLongSeconds,
    errorPercent: errorRate(score(long.text, text, { numbersFolded: true })) * 100,
  };
}

/** whisper.cpp is a program, so it always has a process of its own. */
async function open(name: EngineName): Promise<Engine> {
  return name === 'whisper.cpp'
    ? createEngine(name, engineOptions)
    : openInSeparateProcess(name, engineOptions);
}

/** Our processes decode several windows at once and cannot say what each stage took; the graphs are timed by themselves. */
async function timeSiannStages(): Promise<SiannStageTimes> {
  progress('siann', 'stages');
  const script = fileURLToPath(new URL('./engines/siann-stages.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--import',
    'tsx',
    script,
    engineOptions.model,
  ]);
  return JSON.parse(stdout);
}

function medianOf(
  figures: Map<EngineName, Figures[]>,
  name: EngineName,
  measure: Measure,
): number | undefined {
  return median(figures.get(name)!.map((each) => each[measure]));
}

function summary(figures: Map<EngineName, Figures[]>): string {
  const [first, ...others] = engines;
  const header = ['', ...engines, ...others.map((name) => `${name} / ${first}`)];
  const rows = Object.entries(measures).map(([key, info]: [string, MeasureInfo]) => {
    const medians = engines.map((name) => medianOf(figures, name, key as Measure));
    const [ours, ...theirs] = medians;
    const ratios = theirs.map((value) => (value === undefined || !ours ? '' : (value / ours).toFixed(2)));
    const title = info.unit ? `${info.title}, ${info.unit}` : info.title;
    return [title, ...medians.map((value) => value?.toFixed(info.digits) ?? '–'), ...ratios];
  });
  return formatTable(header, rows);
}

function speedFigures(figures: Map<EngineName, Figures[]>): Figure[] {
  return Object.entries(measures).flatMap(([key, info]: [string, MeasureInfo]) =>
    engines.flatMap((name) => {
      const value = medianOf(figures, name, key as Measure);
      if (value === undefined) return [];
      const hasBar = name === 'siann' && engineOptions.model === 'small';
      return [
        {
          id: `${key}/${name}`,
          what: info.title,
          ...(hasBar ? judged(info, value) : { value: rounded(value, info.digits) }),
          ...(info.unit && { unit: info.unit }),
          series: engineTitles[name],
          model: engineOptions.model,
        },
      ];
    }),
  );
}

function judged({ bar, digits }: MeasureInfo, value: number) {
  if (bar === undefined) return { value: rounded(value, digits) };
  return 'atMost' in bar ? atMost(bar.atMost, value, digits) : atLeast(bar.atLeast, value, digits);
}

function machine(): string {
  const [cpu] = cpus();
  return `${cpu?.model ?? process.arch}, ${availableParallelism()} cores, Node.js ${process.version}`;
}

function secondsSince(start: number): number {
  return (performance.now() - start) / 1000;
}

function progress(name: EngineName, step: string): void {
  showProgress(`${name}: ${step}`);
}
