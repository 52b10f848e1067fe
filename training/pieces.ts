// Cuts sentences of a speech set into pieces of a few words, as people say them between words of another language. The times are those
// at which Siann recognises the words; a sentence that it does not recognise without an error is left out. No sound is copied: only a
// table is written.
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { choose, chooseNumbers, readOptions } from '../evaluation/command-options.ts';
import { decodeAudio, sampleRate } from '../evaluation/decoded-audio.ts';
import { endProgress, showProgress } from '../evaluation/progress.ts';
import { toUnits } from '../evaluation/scoring.ts';
import { streamWave } from '../evaluation/wave-file.ts';
import { loadConfig } from '../src/settings/config.ts';
import { languageSettings } from '../src/speech/transcript/languages.ts';
import { createRecogniser } from '../src/wiring/create-recogniser.ts';
import { cutPieces, type TimedUnit } from './cut-pieces.ts';

const sentencesAtOnce = 4;
/** Every sentence is cut twice: into pieces of about so many characters or words. */
const fewestUnits = [2, 4];

type Sentence = { file: string; start: number; end: number; text: string };

const values = readOptions({
  speech: { type: 'string', default: '' },
  language: { type: 'string', default: 'zh-CN' },
  sentences: { type: 'string' },
  target: { type: 'string', default: '' },
});
if (values.speech === '' || values.target === '') {
  console.error('--speech FOLDER --target TABLE: the folder of a training set, and the table to write.');
  process.exit(2);
}
const language = choose('language', languageSettings, values.language);
const [most] = values.sentences === undefined ? [] : chooseNumbers('sentences', values.sentences);
const manifest = join(values.speech, 'manifest.tsv');
if (!existsSync(manifest)) {
  console.error(`${manifest} is missing: --speech names the folder of a training set.`);
  process.exit(2);
}
await mkdir(dirname(values.target), { recursive: true });
const sentences = spread(parseManifest(await readFile(manifest, 'utf8')), most);
await using recogniser = await createRecogniser({ config: loadConfig(process.env) });
const sounds = new Map<string, Promise<Float32Array>>();

const pieces: Sentence[] = [];
const waiting = [...sentences];
await Promise.all(Array.from({ length: sentencesAtOnce }, cutWaiting));
endProgress();
const rows = pieces
  .sort((a, b) => a.file.localeCompare(b.file) || a.start - b.start)
  .map(({ file, start, end, text }) => [file, start.toFixed(3), end.toFixed(3), text].join('\t'));
await writeFile(values.target, `${['file\tstart\tend\ttext', ...rows].join('\n')}\n`);
console.log(`${pieces.length} pieces of ${sentences.length} sentences`);

async function cutWaiting(): Promise<void> {
  for (let sentence = waiting.shift(); sentence !== undefined; sentence = waiting.shift()) {
    const { file, start, text } = sentence;
    const recognised = await recognise(sentence);
    for (const piece of fewestUnits.flatMap((fewest) => cutPieces(text, recognised, fewest)))
      pieces.push({
        file,
        start: start + piece.startSeconds,
        end: start + piece.endSeconds,
        text: piece.text,
      });
    const done = sentences.length - waiting.length;
    showProgress(`${done} of ${sentences.length} sentences, ${pieces.length} pieces`);
  }
}

async function recognise({ file, start, end }: Sentence): Promise<TimedUnit[]> {
  if (!sounds.has(file)) sounds.set(file, decodeAudio(join(values.speech, file)));
  const samples = (await sounds.get(file)!).subarray(
    Math.round(start * sampleRate),
    Math.round(end * sampleRate),
  );
  const units: TimedUnit[] = [];
  const wave = streamWave([samples], samples.length);
  for await (const segment of recogniser.transcribe(wave, { language, words: true }))
    for (const { text, startSeconds, endSeconds } of segment.words)
      for (const unit of toUnits(text)) units.push({ unit, startSeconds, endSeconds });
  return units;
}

function parseManifest(table: string): Sentence[] {
  const [header, ...lines] = table.split('\n').filter((line) => line !== '');
  const names = header!.split('\t');
  return lines
    .map((line) => Object.fromEntries(line.split('\t').map((cell, index) => [names[index]!, cell])))
    .map(({ file, start, end, text }) => ({
      file: file!,
      start: Number(start),
      end: Number(end),
      text: text ?? '',
    }))
    .filter(({ text }) => text !== '');
}

/** At most so many of all, from its beginning to its end. */
function spread<T>(all: T[], most = all.length): T[] {
  const count = Math.min(most, all.length);
  return Array.from({ length: count }, (_, index) => all[Math.floor((index * all.length) / count)]!);
}
