/** What people paste into a terminal. Skipped where there is no curl. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createRecogniser } from '../../src/wiring/create-recogniser.ts';
import { startService, type TestService } from '../support/service.ts';
import { testModels } from '../support/tiny-model.ts';

const hasCurl = spawnSync('curl', ['--version']).status === 0;
const options = hasCurl ? {} : { skip: 'there is no curl here' };
const speech = fileURLToPath(new URL('../fixtures/audio/speech-16k.wav', import.meta.url));

let service: TestService;

before(async () => {
  service = await startService({
    recogniser: createRecogniser,
    env: { SIANN_MODEL: 'tiny', SIANN_CACHE: testModels, SIANN_THREADS: '1', SIANN_PROCESSES: '1' },
  });
});
after(() => service[Symbol.asyncDispose]());

test('the file first, as most people write it', options, async () => {
  const { status, body } = await curl('-F', `file=@${speech}`, '-F', 'model=siann-1');
  assert.equal(status, 200);
  const transcript = JSON.parse(body);
  assert.equal(transcript.duration, 3.675);
  assert(transcript.segments.length > 0 && transcript.text.length > 10);
});

test('every format, and text for whoever accepts only that', options, async () => {
  const create = async (...args: string[]) =>
    (await curl('-F', 'model=siann-1', '-F', `file=@${speech}`, ...args)).body;
  const text = await create('-F', 'response_format=text');
  assert.match(text, /^\w[^\n{]+$/);
  assert.equal(await create('-H', 'Accept: text/plain'), text);
  assert.match(await create('-F', 'response_format=srt'), /^1\n00:00:0/);
  assert.match(await create('-F', 'response_format=vtt'), /^WEBVTT\n\n/);
  const words = ['-F', 'response_format=verbose_json', '-F', 'timestamp_granularities[]=word'];
  assert(JSON.parse(await create(...words)).words.length > 3);
  assert.equal(JSON.parse(await create('-F', 'response_format=diarized_json')).segments[0].id, 'seg_0');
});

test('events', options, async () => {
  const { body } = await curl('-N', '-F', `file=@${speech}`, '-F', 'model=siann-1', '-F', 'stream=true');
  const events = body
    .trim()
    .split('\n\n')
    .map((event) => JSON.parse(event.replace(/^data: /, '')));
  assert.equal(events.at(-1).type, 'transcript.text.done');
  const deltas = events.filter(({ type }) => type === 'transcript.text.delta').map(({ delta }) => delta);
  assert.equal(deltas.join(''), events.at(-1).text);
});

test('a chunked upload, and one that waits to be asked', options, async () => {
  const form = ['-F', `file=@${speech}`, '-F', 'model=siann-1'];
  assert.equal((await curl('-H', 'Transfer-Encoding: chunked', ...form)).status, 200);
  assert.equal((await curl('-H', 'Expect: 100-continue', '--expect100-timeout', '30', ...form)).status, 200);
});

test('mistakes are answered with what to do', options, async () => {
  const form = ['-F', 'model=siann-1'];
  const mistakes: [string[], number, string][] = [
    [form, 400, 'missing_file'],
    [[...form, '-F', `file=${speech}`], 400, 'missing_file'],
    [['-F', `file=@${speech}`], 400, 'invalid_value'],
    [['-F', `file=@${fileURLToPath(import.meta.url)}`, ...form], 400, 'invalid_file_format'],
    [['-d', 'model=siann-1'], 415, 'unsupported_media_type'],
    [['-F', `file=@${speech}`, '-F', 'model=whisper-1'], 404, 'model_not_found'],
    [['-H', 'Authorization: Bearer sk_live_no', ...form], 401, 'invalid_api_key'],
    [['-H', 'X-Project-ID: another', ...form], 404, 'project_not_found'],
    [['-X', 'PUT', ...form], 405, 'method_not_allowed'],
  ];
  for (const [args, status, code] of mistakes) {
    const answer = await curl(...args);
    assert.deepEqual([answer.status, JSON.parse(answer.body).error.code], [status, code]);
  }
});

test('100 MB and a byte are 413, with and without a length, and curl gets to read it', options, async () => {
  const large = join(service.dataFolder, 'large.wav');
  await writeFile(large, new Uint8Array(100 * 2 ** 20 + 1));
  for (const header of ['X-None: 1', 'Transfer-Encoding: chunked']) {
    const answer = await curl('-H', header, '-F', `file=@${large}`, '-F', 'model=siann-1');
    assert.deepEqual([answer.status, JSON.parse(answer.body).error.code], [413, 'file_too_large']);
  }
});

function curl(...args: string[]): Promise<{ status: number; body: string }> {
  const { addresses, caPath, keys } = service;
  const authorization = args.some((arg) => arg.startsWith('Authorization'))
    ? []
    : ['-H', `Authorization: Bearer ${keys.live}`];
  const common = ['-sS', '--cacert', caPath, '-w', '\n%{http_code}', ...authorization];
  return new Promise((resolve, reject) => {
    execFile(
      'curl',
      [...common, `${addresses.live}/audio/transcriptions`, ...args],
      (error, stdout, stderr) => {
        const at = stdout.lastIndexOf('\n');
        const status = Number(stdout.slice(at + 1));
        if (status > 0) resolve({ status, body: stdout.slice(0, at) });
        else reject(new Error(stderr, { cause: error }));
      },
    );
  });
}
