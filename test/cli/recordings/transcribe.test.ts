import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { runCommandLine } from '../../../src/cli/run-command-line.ts';
import { scriptedContext } from '../scripted-context.ts';

let folder: string;
const file = (name: string) => join(folder, name);

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'siann-cli-'));
  await writeFile(file('one.wav'), '你好，|我用 Python|very much');
  await writeFile(file('two.wav'), 'Hello.|World.');
  await writeFile(file('noise.wav'), 'noise');
  await writeFile(file('forever.wav'), 'forever');
});
after(() => rm(folder, { recursive: true }));

test('the text of a file goes to standard output, and nothing to standard error', async () => {
  const context = scriptedContext();
  assert.equal(await runCommandLine(['transcribe', file('one.wav')], context), 0);
  assert.equal(context.printed(), '你好，我用 Python very much\n');
  assert.equal(context.complained(), '');
  assert.ok(context.disposed());
});

test('several files come in order, with a heading only on a terminal', async () => {
  const piped = scriptedContext();
  await runCommandLine(['transcribe', file('two.wav'), file('one.wav')], piped);
  assert.equal(piped.printed(), 'Hello. World.\n你好，我用 Python very much\n');
  const shown = scriptedContext({ terminal: true });
  await runCommandLine(['transcribe', file('two.wav'), file('one.wav')], shown);
  assert.ok(shown.printed().startsWith(`==> ${file('two.wav')} <==\nHello. World.\n==> `));
});

test('a dash reads standard input', async () => {
  const context = scriptedContext({ stdin: 'piped in' });
  assert.equal(await runCommandLine(['transcribe', '-'], context), 0);
  assert.equal(context.printed(), 'piped in\n');
});

test('a file that fails is named, the others are still done, and the exit code is 1', async () => {
  const context = scriptedContext();
  const files = [file('missing.wav'), file('noise.wav'), folder, file('two.wav')];
  assert.equal(await runCommandLine(['transcribe', ...files], context), 1);
  assert.equal(context.printed(), 'Hello. World.\n');
  assert.deepEqual(context.complained().split('\n'), [
    `${file('missing.wav')}: there is no such file.`,
    `${file('noise.wav')}: The file is not audio that can be read. Send mp3, wav, webm, flac or ogg.`,
    `${folder}: this is a folder. Name the audio files in it.`,
    '',
  ]);
});

test('speakers are told apart with --diarize, with their number, and for diarized_json', async () => {
  const asked = async (...options: string[]) => {
    const context = scriptedContext();
    assert.equal(await runCommandLine(['transcribe', file('two.wav'), ...options], context), 0);
    return context.asked[0]?.speakers;
  };
  assert.equal(await asked(), undefined);
  assert.deepEqual(await asked('--diarize'), {});
  assert.deepEqual(await asked('--speakers', '3'), { count: 3 });
  assert.deepEqual(await asked('--format', 'diarized_json'), {});
  const context = scriptedContext();
  assert.equal(await runCommandLine(['transcribe', file('two.wav'), '--speakers', '11'], context), 2);
  assert.match(context.complained(), /whole number from 1 to 10/);
});

test('--json prints one response object a line, with the file', async () => {
  const context = scriptedContext();
  await runCommandLine(['transcribe', '--json', file('two.wav'), file('one.wav')], context);
  const [first, second] = context
    .printed()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(first, {
    file: file('two.wav'),
    task: 'transcribe',
    duration: 2,
    text: 'Hello. World.',
    segments: [
      { id: 0, start: 0, end: 1, text: 'Hello.' },
      { id: 1, start: 1, end: 2, text: 'World.' },
    ],
  });
  assert.equal(second.file, file('one.wav'));
});

test('formats and words are passed on', async () => {
  const subtitles = scriptedContext();
  await runCommandLine(['transcribe', '--format', 'srt', file('two.wav')], subtitles);
  assert.match(subtitles.printed(), /^1\n00:00:00,000 --> 00:00:01,000\nHello\.\n\n2\n/);
  const verbose = scriptedContext();
  await runCommandLine(['transcribe', '--format=verbose_json', '--words', file('one.wav')], verbose);
  const { language, words } = JSON.parse(verbose.printed());
  assert.equal(language, 'zh');
  assert.equal(words.length, 3);
});

test('language, prompt and hotwords reach the recogniser', async () => {
  const context = scriptedContext();
  const options = ['--language', 'zh-TW', '--prompt', '會議紀錄', '--hotwords', '台積電, Siann，'];
  await runCommandLine(['transcribe', ...options, file('two.wav')], context);
  const { language, prompt, hotwords } = context.asked[0]!;
  assert.deepEqual(
    { language, prompt, hotwords },
    { language: 'zh-TW', prompt: '會議紀錄', hotwords: ['台積電', 'Siann'] },
  );
});

const misuses: [string[], RegExp][] = [
  [[], /Name at least one audio file/],
  [['-', '-'], /only once/],
  [['a.wav', '--format', 'docx'], /--format is one of json, verbose_json/],
  [['a.wav', '--language', 'fr'], /--language is one of mixed/],
  [['a.wav', '--words'], /--words needs --format verbose_json/],
  [['a.wav', '--json', '--format', 'srt'], /--json does not go with --format srt/],
  [['a.wav', '--nonsense'], /--nonsense/],
];
for (const [args, message] of misuses) {
  test(`"transcribe ${args.join(' ')}" is a usage error that says what to do`, async () => {
    const context = scriptedContext();
    assert.equal(await runCommandLine(['transcribe', ...args], context), 2);
    assert.match(context.complained(), message);
    assert.match(context.complained(), /See: siann help transcribe\n$/);
    assert.equal(context.printed(), '');
  });
}

test('progress is drawn on a terminal and wiped before the text', async () => {
  const context = scriptedContext({ terminal: true });
  await runCommandLine(['transcribe', file('two.wav')], context);
  assert.match(context.complained(), /50%\s+Reading the weights/);
  assert.ok(context.complained().endsWith('\r\u001B[K'));
});

test('an interruption in mid-file ends with 130 and disposes of the recogniser', async () => {
  const controller = new AbortController();
  const context = scriptedContext({ signal: controller.signal });
  const ended = runCommandLine(['transcribe', file('forever.wav'), file('two.wav')], context);
  setTimeout(() => controller.abort(), 50);
  assert.equal(await ended, 130);
  assert.equal(context.printed(), '');
  assert.equal(context.complained(), '');
  assert.ok(context.disposed());
});
