import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { parseTranscripts, readSpeechSets, speechFolder } from '../../bench/speech-sets.ts';

let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'siann-sets-'));
  await addSet('english', 'file\tseconds\ttext\n000.webm\t2.94\t"quoted" words\n');
  await addSet(
    'taiwanese',
    'file\tseconds\thanji\ttailo\tmandarin\n000.webm\t1.12\t伊誠𠢕。\tI tsiânn gâu.\t他很能幹。\n',
  );
  for (const name of ['calls', 'everyday-english', 'everyday-taiwanese', 'mandarin-english'])
    await addSet(name, 'file\tseconds\ttext\n000.webm\t1\tyes\n');
  await mkdir(join(folder, 'conversations'));
});

after(() => rm(folder, { recursive: true }));

test('every folder with transcripts is a set, with its language', async () => {
  const sets = await readSpeechSets(folder);
  assert.deepEqual(
    sets.map(({ name, language }) => [name, language]),
    [
      ['calls', 'en'],
      ['english', 'en'],
      ['everyday-english', 'en'],
      ['everyday-taiwanese', 'nan'],
      ['mandarin-english', 'zh'],
      ['taiwanese', 'nan'],
    ],
  );
  assert.deepEqual(sets.find(({ name }) => name === 'english')?.sentences, [
    { file: join(folder, 'english', '000.webm'), seconds: 2.94, text: '"quoted" words' },
  ]);
});

test('Taiwanese is read in Han characters', async () => {
  const [set] = await readSpeechSets(folder, ['taiwanese']);
  assert.equal(set!.sentences[0]!.text, '伊誠𠢕。');
  assert.equal(set!.sentences[0]!.mandarin, '他很能幹。');
});

test('a set that is not there is named', async () => {
  await assert.rejects(readSpeechSets(folder, ['english', 'klingon']), /klingon/);
});

test('a table without a reference text is refused', () => {
  assert.throws(
    () => parseTranscripts('file\tseconds\n000.webm\t1\n', 'x'),
    /neither a text nor a hanji column/,
  );
});

test('SIANN_SPEECH names the folder', () => {
  assert.equal(speechFolder({ SIANN_SPEECH: '/somewhere' }), '/somewhere');
});

async function addSet(name: string, table: string): Promise<void> {
  await mkdir(join(folder, name));
  await writeFile(join(folder, name, 'transcripts.tsv'), table);
}
