/** The transcription route on a server of its own, with a lease and a recogniser that record how they are used. */
import type { AddressInfo } from 'node:net';
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
import { segment } from '../../support/segment.ts';

export type RecordedLease = Lease & {
  reserved: number[];
  settled: number[];
  /** What was charged before the end, one number for each time. */
  settledSoFar: number[];
  hashes: string[];
  revoke(reason: Error): void;
};

export function recordedLease(given: Partial<Lease> = {}): RecordedLease {
  const revoked = new AbortController();
  const lease: RecordedLease = {
    admitted: { project: { id: 'a-project' } } as Lease['admitted'],
    revoked: revoked.signal,
    signed: false,
    issueToken: async () => ({ token: '', expiresAt: new Date() }),
    reserved: [],
    settled: [],
    settledSoFar: [],
    hashes: [],
    revoke: (reason) => revoked.abort(reason),
    verifyBody: async (hash) => void lease.hashes.push(hash),
    reserve: async (seconds) => void lease.reserved.push(seconds),
    settleSoFar: async (seconds) => void lease.settledSoFar.push(seconds),
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

/** Really decodes the audio, and returns one sentence for every second of it. `beforeSentence` may wait or throw. */
export function scriptedRecogniser(
  beforeSentence?: (second: number, signal: AbortSignal) => Promise<void>,
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
            await beforeSentence?.(id, options.signal!);
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
  return segment({
    id,
    ...times,
    text: language === 'zh-CN' ? `第${id}句。` : `Sentence ${id}.`,
    language: language === 'zh-CN' ? 'zh' : 'en',
    words: words ? [{ text: 'Sentence', ...times, probability: 1 }] : [],
    ...(speakers && { speaker: id % 2 }),
  });
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
