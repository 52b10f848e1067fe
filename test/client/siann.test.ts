import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { Siann, SiannError, toSrt, toVtt } from '../../client/siann.ts';
import type { Recogniser } from '../../src/speech/recogniser.ts';
import { segment } from '../support/segment.ts';
import { silentRecogniser, startService, type TestService } from '../support/service.ts';

const behindProxy = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '127.0.0.1' };

describe('the client', () => {
  let running: TestService;
  let siann: Siann;
  let release: () => void = () => {};
  before(async () => {
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    running = await startService({ env: { SIANN_TLS: 'proxy' }, recogniser: twoSegments(held) });
    siann = new Siann({ ...access(running), projectId: running.projectId });
  });
  after(() => running[Symbol.asyncDispose]());

  test('gives segments while the file is still being transcribed, and then the whole transcript', async () => {
    const transcription = siann.transcribe(new Uint8Array(100));
    const texts: string[] = [];
    for await (const segment of transcription) {
      texts.push(segment.text);
      // The second segment waits for this, so the first one must have come before it.
      release();
    }
    assert.deepEqual(texts, ['你好', 'Hello.']);
    const whole = await transcription;
    assert.deepEqual(whole, {
      task: 'transcribe',
      duration: 2,
      text: '你好Hello.',
      segments: [
        { id: 0, start: 0, end: 1, text: '你好' },
        { id: 1, start: 1, end: 2, text: 'Hello.' },
      ],
    });
    assert.match(toSrt(whole.segments), /^1\n00:00:00,000 --> 00:00:01,000\n你好\n\n2\n/);
    assert.match(toVtt([{ ...whole.segments[0]!, speaker: 1, text: 'a<b' }]), /<v Speaker 2>a&lt;b\n\n$/);
  });

  test('reads the account and its usage', async () => {
    const account = await siann.account();
    assert.equal(account.project.id, running.projectId);
    assert.equal(account.plan, 'enterprise');
    const usage = await siann.usage({ from: '2026-01-01', to: '2026-01-31' });
    assert.deepEqual(usage.daily, []);
    await assert.rejects(siann.usage({ from: 'soon' }), { code: 'invalid_value', param: 'from' });
  });

  test('throws errors with the codes of the wire and the names that programs check', async () => {
    const wrongKey = new Siann({ ...access(running), apiKey: `sk_live_${'x'.repeat(32)}` });
    await assert.rejects(wrongKey.account(), (error: SiannError) => {
      assert.ok(error instanceof SiannError);
      assert.deepEqual([error.code, error.name, error.status], ['invalid_api_key', 'INVALID_API_KEY', 401]);
      assert.ok(error.requestId);
      return true;
    });
    const wrongProject = new Siann({ ...access(running), projectId: 'proj_other' });
    await assert.rejects(wrongProject.account(), { code: 'project_not_found', name: 'PROJECT_NOT_FOUND' });
    await assert.rejects(wrongKey.transcribe(new Uint8Array(3)), { name: 'INVALID_API_KEY' });
  });

  test('is aborted by a signal', async () => {
    const signal = AbortSignal.abort(new Error('enough'));
    await assert.rejects(siann.account({ signal }), /enough/);
    await assert.rejects(siann.transcribe(new Uint8Array(3), { signal }), /enough/);
  });
});

describe('retries', () => {
  test('wait as long as the headers say, and then succeed', async () => {
    const answers = [
      answer(
        429,
        { 'retry-after': '9', 'retry-after-ms': '60', 'x-should-retry': 'true' },
        'rate_limit_exceeded',
      ),
      answer(503, { 'retry-after': '0' }, 'overloaded'),
    ];
    const { requests, result, milliseconds } = await ask(answers, 2);
    assert.deepEqual(result, { ok: true });
    assert.equal(requests, 3);
    assert.ok(milliseconds >= 60 && milliseconds < 2000, `${milliseconds}`);
  });

  test('are not made when the service forbids them, or when the request is wrong', async () => {
    const used = answer(429, { 'retry-after-ms': '1', 'x-should-retry': 'false' }, 'quota_exceeded');
    const quota = await ask([used], 2);
    assert.equal(quota.requests, 1);
    assert.equal((quota.result as SiannError).name, 'QUOTA_EXCEEDED');
    const wrong = await ask([answer(400, {}, 'invalid_value')], 2);
    assert.equal(wrong.requests, 1);
  });

  test('end with the last error and its wait', async () => {
    const busy = answer(429, { 'retry-after-ms': '20' }, 'rate_limit_exceeded');
    const { requests, result } = await ask([busy, busy, busy, busy], 2);
    assert.equal(requests, 3);
    assert.equal((result as SiannError).name, 'RATE_LIMIT_EXCEEDED');
    assert.equal((result as SiannError).retryAfterSeconds, 0.02);
  });

  test('end with an error that names the address when nothing answers', async () => {
    const gone = new Siann({ apiKey: 'sk_test_0', baseUrl: 'http://127.0.0.1:9/v1', maxRetries: 0 });
    await assert.rejects(gone.account(), /There is no answer from http:\/\/127\.0\.0\.1:9\/v1/);
  });
});

function access({ addresses, keys }: TestService) {
  return { apiKey: keys.live, baseUrl: addresses.live, headers: behindProxy };
}

type Answer = (response: ServerResponse) => void;

function answer(status: number, headers: Record<string, string>, code: string): Answer {
  return (response) =>
    response.writeHead(status, headers).end(JSON.stringify({ error: { message: 'No.', type: 'x', code } }));
}

/** Asks a server that gives these answers, and `{ok: true}` from then on. */
async function ask(answers: Answer[], maxRetries: number) {
  let requests = 0;
  const server = createServer((_request: IncomingMessage, response) => {
    const next = answers[requests++];
    if (next) next(response);
    else response.end('{"ok":true}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const startedAt = performance.now();
  const siann = new Siann({ apiKey: 'sk_test_0', baseUrl: `http://127.0.0.1:${port}/v1`, maxRetries });
  const result: unknown = await siann.account().catch((error) => error);
  const milliseconds = performance.now() - startedAt;
  server.closeAllConnections();
  server.close();
  return { requests, result, milliseconds };
}

/** Recognises two segments, the second one only after `held`. */
function twoSegments(held: Promise<void>): Recogniser {
  return {
    ...silentRecogniser(),
    async *transcribe(bytes, options) {
      for await (const _chunk of bytes);
      await options.onDecoded?.(2);
      yield segment({ text: '你好' });
      await held;
      yield segment({ id: 1, text: ' Hello.' });
      return { durationSeconds: 2 };
    },
  };
}
