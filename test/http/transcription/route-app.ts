/** The route on a server of its own, with a lease and a recogniser that tell what was done to them. */
import { once } from 'node:events';
import { request as httpRequest, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import Fastify from 'fastify';
import type { Lease } from '../../../src/accounts/admission.ts';
import { decodeAudio } from '../../../src/audio/decode-audio.ts';
import { pcmSampleRate } from '../../../src/audio/pcm.ts';
import { toServiceError } from '../../../src/errors/framework-errors.ts';
import { errorBody } from '../../../src/errors/service-error.ts';
import { errorHeaders } from '../../../src/http/server/error-headers.ts';
import { createNodeServer } from '../../../src/http/server/node-server.ts';
import { createTranscriptionCapacity } from '../../../src/http/transcription/capacity.ts';
import {
  type TranscriptionRouteOptions,
  transcriptionRoute,
} from '../../../src/http/transcription/transcription-route.ts';
import type { Recogniser } from '../../../src/speech/recogniser.ts';
import type { TranscribeOptions } from '../../../src/speech/transcribe.ts';
import type { Segment } from '../../../src/speech/transcript/segment.ts';
import { fixture } from '../../audio/fixtures.ts';
import { toWave } from '../../support/wave.ts';

export const speech = fixture('speech-16k.wav');
export const url = '/v1/audio/transcriptions';

export type RecordedLease = Lease & {
  reserved: number[];
  settled: number[];
  hashes: string[];
  revoke(reason: Error): void;
};

export function recordedLease(given: Partial<Lease> = {}): RecordedLease {
  const revoked = new AbortController();
  const lease: RecordedLease = {
    admitted: {} as Lease['admitted'],
    revoked: revoked.signal,
    signed: false,
    issueToken: async () => ({ token: '', expiresAt: new Date() }),
    reserved: [],
    settled: [],
    hashes: [],
    revoke: (reason) => revoked.abort(reason),
    verifyBody: async (hash) => void lease.hashes.push(hash),
    reserve: async (seconds) => void lease.reserved.push(seconds),
    settleSoFar: async () => {},
    settle: async (seconds) => void lease.settled.push(seconds),
    settleUpToQuota: async (seconds) => seconds,
    owe: async () => {},
    close: async () => {},
    ...given,
  };
  return lease;
}

export type ScriptedRecogniser = Pick<Recogniser, 'transcribe'> & {
  /** One for each run that was started. */
  runs: { options: TranscribeOptions; bytes: number; seconds: number; failed?: unknown; ended: boolean }[];
};

/** Decodes for real; of every second that has passed it "hears" one sentence. `hear` may wait or throw. */
export function scriptedRecogniser(
  hear?: (second: number, signal: AbortSignal) => Promise<void>,
): ScriptedRecogniser {
  const recogniser: ScriptedRecogniser = {
    runs: [],
    async *transcribe(bytes, options) {
      const run: ScriptedRecogniser['runs'][0] = { options, bytes: 0, seconds: 0, ended: false };
      recogniser.runs.push(run);
      try {
        let samples = 0;
        let id = 0;
        for await (const chunk of decodeAudio(counted(bytes, run), { signal: options.signal! })) {
          samples += chunk.length;
          run.seconds = samples / pcmSampleRate;
          await options.onDecoded?.(run.seconds);
          for (; id < Math.floor(run.seconds); id++) {
            await hear?.(id, options.signal!);
            options.signal!.throwIfAborted();
            yield sentence(id, options);
          }
        }
        return { durationSeconds: run.seconds, ...(options.speakers && { numSpeakers: Math.min(id, 2) }) };
      } catch (error) {
        run.failed = error;
        throw error;
      } finally {
        run.ended = true;
      }
    },
  };
  return recogniser;
}

async function* counted(
  bytes: AsyncIterable<Uint8Array>,
  run: { bytes: number },
): AsyncGenerator<Uint8Array> {
  for await (const piece of bytes) {
    run.bytes += piece.length;
    yield piece;
  }
}

function sentence(id: number, { language, words, speakers }: TranscribeOptions): Segment {
  const times = { startSeconds: id, endSeconds: id + 0.9 };
  return {
    id,
    ...times,
    text: language === 'zh-CN' ? `第${id}句。` : `Sentence ${id}.`,
    language: language === 'zh-CN' ? 'zh' : 'en',
    words: words ? [{ text: 'Sentence', ...times, probability: 1 }] : [],
    tokens: [id],
    temperature: 0,
    averageLogProbability: -0.1,
    compressionRatio: 1,
    noSpeechProbability: 0,
    ...(speakers && { speaker: id % 2 }),
  };
}

export type RouteApp = AsyncDisposable & {
  port: number;
  capacity: TranscriptionRouteOptions['capacity'];
  transcribed: { audioSeconds: number; seconds: number }[];
  logged: unknown[];
};

export type RouteAppOptions = Partial<TranscriptionRouteOptions> & {
  lease?: Lease;
  admit?: () => Promise<Lease>;
  maxTranscriptions?: number;
  maxHeldBytes?: number;
};

export async function openRouteApp(given: RouteAppOptions = {}): Promise<RouteApp> {
  const {
    maxTranscriptions = 10,
    maxHeldBytes = 1e9,
    admit = async () => given.lease ?? recordedLease(),
  } = given;
  const capacity = createTranscriptionCapacity({ maxTranscriptions, maxHeldBytes });
  const transcribed: RouteApp['transcribed'] = [];
  const logged: unknown[] = [];
  const config = { headersSeconds: 10, keepAliveSeconds: 10 };
  const app = Fastify({
    serverFactory: (handler) =>
      createNodeServer({ config, certifiedKey: undefined } as never, handler as never) as never,
    forceCloseConnections: true,
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  app.decorateRequest('lease', undefined);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    request.lease = await admit();
  });
  app.setErrorHandler((thrown, _request, reply) => {
    const error = toServiceError(thrown);
    if (error.code === 'internal_error') logged.push(error.cause ?? error);
    reply.code(error.status).headers(errorHeaders(error)).send(errorBody(error));
  });
  transcriptionRoute(app, {
    recogniser: given.recogniser ?? scriptedRecogniser(),
    capacity,
    pace: given.pace ?? { idleMs: 10_000, minimumBytesPerSecond: 0, graceMs: 10_000 },
    metrics: { transcribed: (each) => void transcribed.push(each), refused: () => {} },
    log: { error: (...each: unknown[]) => void logged.push(each) } as never,
    ...(given.heartbeatMs !== undefined && { heartbeatMs: given.heartbeatMs }),
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  return {
    port: (app.server.address() as AddressInfo).port,
    capacity,
    transcribed,
    logged,
    [Symbol.asyncDispose]: () => app.close(),
  };
}

export type Field = [name: string, value: string | Uint8Array];

/** The bytes of a form; a value of bytes is a file. */
export function formBody(fields: readonly Field[]): Buffer {
  const parts = fields.flatMap(([name, value]) => {
    const file =
      typeof value === 'string' ? '' : '; filename="talk.wav"\r\nContent-Type: application/octet-stream';
    return [
      Buffer.from(`--b\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`),
      value,
      '\r\n',
    ];
  });
  return Buffer.concat([...parts, '--b--\r\n'].map((part) => Buffer.from(part as string)));
}

/** Two seconds of silence in a wave file of any size: most of it is a chunk that is no sound, which is quick to decode. */
export async function* bigWave(fileBytes: number): AsyncGenerator<Uint8Array> {
  const sound = Buffer.from(toWave(new Float32Array(2 * pcmSampleRate)));
  const note = Buffer.from('note\0\0\0\0');
  const noteBytes = fileBytes - sound.length - note.length;
  note.writeUInt32LE(noteBytes, 4);
  yield Buffer.concat([sound.subarray(0, 36), note]);
  const piece = Buffer.alloc(64 * 1024);
  for (let left = noteBytes; left > 0; left -= piece.length) yield piece.subarray(0, left);
  yield sound.subarray(36);
}

export type Answer = { status: number; headers: IncomingHttpHeaders; body: string };

export type Upload = { headers?: OutgoingHttpHeaders; body: Uint8Array | AsyncIterable<Uint8Array> };

/** Sends a body as it comes: bytes with their length, anything else chunked. Reads the answer whenever it comes. */
export async function post(port: number, { headers, body }: Upload): Promise<Answer> {
  const request = httpRequest({
    port,
    host: '127.0.0.1',
    path: url,
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=b', ...headers },
  });
  const answered = once(request, 'response');
  const over = new AbortController();
  answered.catch(() => {}).finally(() => over.abort());
  request.on('error', () => over.abort());
  const sending = (async () => {
    if (body instanceof Uint8Array) request.setHeader('content-length', body.length);
    for await (const chunk of body instanceof Uint8Array ? [body] : body) {
      if (!request.write(chunk)) await once(request, 'drain', { signal: over.signal });
      over.signal.throwIfAborted();
    }
  })();
  sending.catch(() => {}).finally(() => request.end());
  const [response] = await answered;
  response.setEncoding('utf8');
  let text = '';
  for await (const piece of response) text += piece;
  return { status: response.statusCode, headers: response.headers, body: text };
}

export async function transcribe(port: number, fields: readonly Field[], headers?: OutgoingHttpHeaders) {
  return post(port, { ...(headers && { headers }), body: formBody(fields) });
}

export function errorOf({ body }: Answer) {
  return JSON.parse(body).error as { message: string; type: string; param?: string; code: string };
}

/** A connection on which a test writes what it likes. */
export async function openSocket(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

export async function until(condition: () => boolean, milliseconds = 5_000): Promise<void> {
  const deadline = performance.now() + milliseconds;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error('waited in vain');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
