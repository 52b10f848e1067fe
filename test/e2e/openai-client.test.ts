/** The official client of OpenAI's API, told nothing but where the service is, which key to use, and whom to trust. */
import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import OpenAI, { type ClientOptions, toFile } from 'openai';
import { fixture } from '../../evaluation/spoken-files.ts';
import { plans } from '../../src/accounts/projects/plans.ts';
import type { Recogniser } from '../../src/speech/recogniser.ts';
import { createRecogniser } from '../../src/wiring/create-recogniser.ts';
import {
  silentRecogniser,
  startService,
  type TestService,
  type TestServiceOptions,
} from '../support/service.ts';
import { testModels } from '../support/tiny-model.ts';

const path = fileURLToPath(new URL('../fixtures/audio/speech-44k-stereo-cbr.mp3', import.meta.url));
const model = 'siann-1';
const speech = () => toFile(fixture('speech-16k.wav'), 'speech.wav');

let service: TestService;
let client: OpenAI;

before(async () => {
  service = await startService({
    recogniser: createRecogniser,
    env: { SIANN_MODEL: 'tiny', SIANN_CACHE: testModels, SIANN_THREADS: '1', SIANN_PROCESSES: '1' },
  });
  client = await connect(service);
});
after(() => service[Symbol.asyncDispose]());

test('json, from a read stream', async () => {
  const transcription = await client.audio.transcriptions.create({ file: createReadStream(path), model });
  assert.match(transcription.text, /\w+ \w+/);
  const whole = transcription as unknown as Record<string, unknown>;
  assert.equal(whole.task, 'transcribe');
  assert(Math.abs(Number(whole.duration) - 3.675) < 0.01);
  assert(Array.isArray(whole.segments));
});

test('verbose_json with words, from a File', async () => {
  const transcription = await client.audio.transcriptions.create({
    file: new File([fixture('speech-16k.wav')], 'speech.wav'),
    model,
    response_format: 'verbose_json',
    timestamp_granularities: ['word', 'segment'],
    language: 'en',
    temperature: 0,
    prompt: 'A sentence.',
  });
  assert.equal(transcription.language, 'en');
  assert.equal(transcription.duration, 3.675);
  assert(transcription.segments!.length > 0);
  const words = transcription.words!;
  assert(
    words.length > 3 &&
      words.every(({ start, end }, i) => end >= start && start >= (words[i - 1]?.start ?? 0)),
  );
});

test('text, srt and vtt are strings', async () => {
  const create = async (response_format: 'text' | 'srt' | 'vtt') =>
    client.audio.transcriptions.create({ file: await speech(), model, response_format });
  const text = await create('text');
  assert.match(text, /^\w[^\n]+$/);
  assert.match(await create('srt'), /^1\n00:00:0\d,\d{3} --> 00:00:0\d,\d{3}\n\w/);
  assert.match(await create('vtt'), /^WEBVTT\n\n00:00:0\d\.\d{3} --> /);
});

test('stream: the deltas are the text', async () => {
  const stream = await client.audio.transcriptions.create({ file: await speech(), model, stream: true });
  let deltas = '';
  let done: OpenAI.Audio.TranscriptionTextDoneEvent | undefined;
  for await (const event of stream) {
    if (event.type === 'transcript.text.delta') deltas += event.delta;
    if (event.type === 'transcript.text.segment') assert(event.end > event.start);
    if (event.type === 'transcript.text.done') done = event;
  }
  assert(deltas.length > 10);
  assert.equal(done?.text, deltas);
});

test('what was answered is what was charged', async () => {
  const before = await usedMinutes();
  await client.audio.transcriptions.create({ file: await speech(), model });
  await assert.rejects(
    client.audio.transcriptions.create({ file: await toFile(Buffer.from('no'), 'x'), model }),
  );
  const charged = (await usedMinutes()) - before;
  assert(Math.abs(charged - 3.675 / 60) < 0.011, `${charged} minutes`);
});

test('400, 401, 404 and 413 have their classes, codes and parameters', async () => {
  const create = async (given: object, from = client) =>
    from.audio.transcriptions.create({ file: await speech(), model, ...given });
  await assert.rejects(
    create({ temperature: 3 }),
    refusal(OpenAI.BadRequestError, 400, 'invalid_value', 'temperature'),
  );
  await assert.rejects(
    create({ file: await toFile(Buffer.from('<html>'), 'x.mp3') }),
    refusal(OpenAI.BadRequestError, 400, 'invalid_file_format', 'file'),
  );
  await assert.rejects(
    create({ model: 'whisper-1' }),
    refusal(OpenAI.NotFoundError, 404, 'model_not_found', 'model'),
  );
  const stranger = await connect(service, { apiKey: service.keys.test });
  await assert.rejects(
    create({}, stranger),
    refusal(OpenAI.AuthenticationError, 401, 'invalid_api_key', undefined),
  );
  const large = await toFile(new Blob([new Uint8Array(100 * 2 ** 20 + 1)]), 'large.wav');
  await assert.rejects(create({ file: large }), refusal(OpenAI.APIError, 413, 'file_too_large', 'file'));
});

test('403 when the key signs its requests and this one is not signed', async () => {
  const key = await service.service.accounts.keys.create({ project: service.projectId, environment: 'live' });
  await service.service.accounts.keys.requireSignature(key.id);
  const unsigned = await connect(service, { apiKey: key.key });
  await assert.rejects(
    unsigned.audio.transcriptions.create({ file: await speech(), model }),
    refusal(OpenAI.PermissionDeniedError, 403, 'invalid_signature', undefined),
  );
});

test('500 and 503 have their class, and a 503 is tried again when the service says so', async () => {
  let proceed = () => {};
  const busy = new Promise<void>((resolve) => {
    proceed = resolve;
  });
  await using other = await openScripted(
    async (call) => {
      if (call === 0) throw new Error('a secret');
      await busy;
    },
    { env: { SIANN_MAX_TRANSCRIPTIONS: '1' } },
  );
  const once = await connect(other, { maxRetries: 0 });
  const create = async (from: OpenAI) => from.audio.transcriptions.create({ file: await speech(), model });
  await assert.rejects(create(once), refusal(OpenAI.InternalServerError, 500, 'internal_error', undefined));

  const first = create(once);
  while (answered(other, 503) === 0) {
    await create(once).catch(refusal(OpenAI.InternalServerError, 503, 'overloaded', undefined));
  }
  const patient = create(await connect(other, { maxRetries: 1 }));
  setTimeout(proceed, 300);
  await first;
  assert.equal((await patient).text, '');
});

test('a rate limit is waited for as long as the headers say, a quota is not', async () => {
  const tight = { quotaMinutes: 0.03, requestsPerSecond: 2, concurrentConnections: 2 };
  await using other = await openScripted(async () => {}, { plan: 'free', plans: { ...plans, free: tight } });
  const impatient = await connect(other, { maxRetries: 0 });
  const patient = await connect(other, { maxRetries: 3 });
  const create = async (from: OpenAI) => from.audio.transcriptions.create({ file: await speech(), model });
  await create(patient);
  await impatient.models.list().catch(() => {});
  await assert.rejects(
    impatient.models.list(),
    refusal(OpenAI.RateLimitError, 429, 'rate_limit_exceeded', undefined),
  );
  const started = performance.now();
  await patient.models.list();
  assert(performance.now() - started > 100);

  const before = answered(other, 429);
  await assert.rejects(create(patient), refusal(OpenAI.RateLimitError, 429, 'quota_exceeded', undefined));
  const quotaAnswers = answered(other, 429) - before;
  assert(quotaAnswers <= 2, `${quotaAnswers} refusals`);
});

async function connect({ addresses, keys, ca }: TestService, given: ClientOptions = {}): Promise<OpenAI> {
  // Node 20 cannot be given an authority while it runs, save through the agent that its fetch is made of.
  await fetch('data:,');
  const agents = globalThis as unknown as Record<symbol, { constructor: new (options: object) => object }>;
  const Agent = agents[Symbol.for('undici.globalDispatcher.1')]!.constructor;
  const fetchOptions = { dispatcher: new Agent({ connect: { ca } }) } as ClientOptions['fetchOptions'];
  return new OpenAI({ baseURL: addresses.live, apiKey: keys.live, fetchOptions: fetchOptions!, ...given });
}

/** A service that recognises nothing, once `work` has let it. */
async function openScripted(
  work: (call: number) => Promise<void>,
  options: TestServiceOptions,
): Promise<TestService> {
  let calls = 0;
  const silent = silentRecogniser();
  const recogniser: Recogniser = {
    ...silent,
    async *transcribe(bytes, transcribeOptions) {
      await work(calls++);
      return yield* silent.transcribe(bytes, transcribeOptions);
    },
  };
  return startService({ ...options, recogniser });
}

function answered({ logged }: TestService, status: number): number {
  return logged.filter((line) => line.status === status).length;
}

type ErrorClass = new (...given: never[]) => InstanceType<typeof OpenAI.APIError>;

function refusal(kind: ErrorClass, status: number, code: string, param: string | undefined) {
  return (error: unknown) => {
    assert(error instanceof kind, String(error));
    assert.deepEqual([error.status, error.code, error.param ?? undefined], [status, code, param]);
    assert(error.requestID);
    return true;
  };
}

async function usedMinutes(): Promise<number> {
  const usage = (await service.fetch('/v1/usage')).json() as { currentMonth: number };
  return usage.currentMonth;
}
