import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LabelledStretch } from './diarization-error.ts';

/** A recording of several speakers, with who spoke when and, where it is known, what. */
export type Conversation = {
  name: string;
  file: string;
  /** Spliced from sentences, a meeting, or a broadcast. */
  kind: 'simulated' | 'meeting' | 'broadcast';
  reference: LabelledStretch[];
  utterances: Utterance[];
};

export type Utterance = { startSeconds: number; speaker: string; text: string };

export async function readConversations(folder: string): Promise<Conversation[]> {
  const names = (await readdir(folder))
    .filter((file) => file.endsWith('.rttm'))
    .map((file) => file.slice(0, -5));
  return Promise.all(names.sort().map((name) => readConversation(folder, name)));
}

async function readConversation(folder: string, name: string): Promise<Conversation> {
  const table = join(folder, `${name}.tsv`);
  return {
    name,
    file: join(folder, `${name}.webm`),
    kind: name.startsWith('ami') ? 'meeting' : name.startsWith('broadcast') ? 'broadcast' : 'simulated',
    reference: parseRttm(await readFile(join(folder, `${name}.rttm`), 'utf8')),
    utterances: existsSync(table) ? parseUtterances(await readFile(table, 'utf8')) : [],
  };
}

/** NIST's rich transcription time marks: `SPEAKER file channel start duration <NA> <NA> name …`. */
export function parseRttm(text: string): LabelledStretch[] {
  return text.split('\n').flatMap((line) => {
    const fields = line.trim().split(/\s+/);
    if (fields[0] !== 'SPEAKER') return [];
    const startSeconds = Number(fields[3]);
    return [{ startSeconds, endSeconds: startSeconds + Number(fields[4]), speaker: fields[7]! }];
  });
}

function parseUtterances(table: string): Utterance[] {
  const [, ...rows] = table.split(/\r?\n/).filter((line) => line !== '');
  return rows.map((row) => {
    const [start, speaker, text] = row.split('\t');
    return { startSeconds: Number(start), speaker: speaker!, text: text ?? '' };
  });
}
