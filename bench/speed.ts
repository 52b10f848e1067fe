// `npm run bench:speed`: how fast this project's engine and its peers are, in one run on one machine.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { choose, chooseSeveral, readOptions } from '../evaluation/command-options.ts';
import { decodeAudio } from '../evaluation/decoded-audio.ts';
import { showProgress } from '../evaluation/progress.ts';
import { errorRate, score } from '../evaluation/scoring.ts';
import { writeWave } from '../evaluation/wave-file.ts';
import { languageFor } from './asked-language.ts';
import { createEngine } from './engines/create-engine.ts';
import { type Engine, type EngineName, engineNames, modelSizes, type StageTimes } from './engines/engine.ts';
import { openInSeparateProcess } from './engines/separate-process.ts';
import { joinSentences } from './long-recording.ts';
import { median } from './median.ts';
import { watchChildMemory } from './process-memory.ts';
import { readSpeechSets, type SpeechSet, speechFolder } from './speech-sets.ts';
import { formatTable } from './table.ts';

const measures = {
  realTimeFactor: { title: 'real-time factor, long file', digits: 3 },
  encoderSeconds: { title: 'encoder, s per 30 s window', digits: 2 },
  tokenMilliseconds: { title: 'decoder, ms per token', digits: 1 },
  peakMegabytes: { title: 'peak memory, MB', digits: 0 },
  startSeconds: { title: 'cold start to text of 3 s, s', digits: 2 },
  warmSeconds: { title: '3 s file, s', digits: 2 },
  besideLongSeconds: { title: '3 s file while the long one runs, s', digits: 2 },
  errorPercent: { title: 'error on the long file, %', digits: 1 },
};
type Measure = keyof typeof measures;
type Figures = Partial<Record<Measure, number>>;
type Clip = { file: string; seconds: number; text: string };

const withPeer = process.env.WHISPER_CPP ? engineNames.join(',') : 'siann,transformers';
const values = readOptions({
  engines: { type: 'string', default: withPeer },
  sets: { type: 'string', default: 'mandarin,mandarin-taiwan,mandarin-english' },
  seconds: { type: 'string', default: '600' },
  repeat: { type: 'string', default: '1' },
  model: { type: 'string', default: 'small' },
  language: { type: 'string' },
  threads: { type: 'string', default: String(availableParallelism()) },
});
const engines = chooseSeveral('engines', engineNames, values.engines);
const engineOptions = { model: choose('model', modelSizes, values.model), threads: Number(values.threads) };
const sets = await readSpeechSets(speechFolder(process.env), values.sets.split(','));
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
  const memory = watchChildMemory();
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
  const stages = reported.stages ?? (name === 'siann' ? await timeSiannStages() : undefined);

  return {
    realTimeFactor: seconds / long.seconds,
    ...(stages && {
      encoderSeconds: (stages.encoderSeconds / stages.encodedSeconds) * 30,
      tokenMilliseconds: (stages.decoderSeconds / stages.decoderTokens) * 1000,
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
async function timeSiannStages(): Promise<StageTimes> {
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

function summary(figures: Map<EngineName, Figures[]>): string {
  const [first, ...others] = engines;
  const header = ['', ...engines, ...others.map((name) => `${name} / ${first}`)];
  const rows = Object.entries(measures).map(([key, { title, digits }]) => {
    const medians = engines.map((name) => median(figures.get(name)!.map((each) => each[key as Measure])));
    const [ours, ...theirs] = medians;
    const ratios = theirs.map((value) => (value === undefined || !ours ? '' : (value / ours).toFixed(2)));
    return [title, ...medians.map((value) => value?.toFixed(digits) ?? '–'), ...ratios];
  });
  return formatTable(header, rows);
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
