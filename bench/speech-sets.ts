import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A folder of short recordings with what was said in them. */
export type SpeechSet = { name: string; language: 'zh' | 'en' | 'nan'; sentences: Sentence[] };

export type Sentence = {
  file: string;
  seconds: number;
  text: string;
  /** Taiwanese sentences come with a translation, which a looser score accepts too. */
  mandarin?: string;
};

const root = fileURLToPath(new URL('..', import.meta.url));

/** Where the sets are: `SIANN_SPEECH`, relative to the project. */
export function speechFolder(env: NodeJS.ProcessEnv): string {
  return resolve(root, env.SIANN_SPEECH ?? '../shared/speech/dev');
}

/** Reads every set in the folder, or those named, in the order of their names. */
export async function readSpeechSets(folder: string, names?: string[]): Promise<SpeechSet[]> {
  const present = (await readdir(folder)).filter((name) => existsSync(transcriptsOf(folder, name))).sort();
  const missing = names?.filter((name) => !present.includes(name)) ?? [];
  if (missing.length > 0)
    throw new Error(`No such set: ${missing.join(', ')} (there are ${present.join(', ')})`);
  return Promise.all((names ?? present).map((name) => readSpeechSet(folder, name)));
}

async function readSpeechSet(folder: string, name: string): Promise<SpeechSet> {
  const table = await readFile(transcriptsOf(folder, name), 'utf8');
  const sentences = parseTranscripts(table, join(folder, name));
  return { name, language: languageOf(name), sentences };
}

function languageOf(name: string): SpeechSet['language'] {
  const kind = name.replace(/^everyday-/, '');
  if (kind.startsWith('taiwanese')) return 'nan';
  return kind.startsWith('english') || kind === 'calls' ? 'en' : 'zh';
}

/** Columns: file, seconds, then texts; Taiwanese is scored against its Han characters. */
export function parseTranscripts(table: string, folder: string): Sentence[] {
  const [header, ...rows] = table.split(/\r?\n/).filter((line) => line !== '');
  const columns = header?.split('\t') ?? [];
  const textColumn = columns.includes('hanji') ? columns.indexOf('hanji') : columns.indexOf('text');
  if (textColumn < 0) throw new Error(`${folder}: transcripts.tsv has neither a text nor a hanji column`);
  return rows.map((row) => {
    const cells = row.split('\t');
    const mandarin = cells[columns.indexOf('mandarin')];
    const text = { text: cells[textColumn]!, ...(mandarin && { mandarin }) };
    return { file: join(folder, cells[0]!), seconds: Number(cells[1]), ...text };
  });
}

function transcriptsOf(folder: string, name: string): string {
  return join(folder, name, 'transcripts.tsv');
}
