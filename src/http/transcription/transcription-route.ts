import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { toServiceError } from '../../errors/framework-errors.ts';
import type { Metrics } from '../../operations/metrics.ts';
import type { ServiceLog } from '../../operations/service-log.ts';
import type { Recogniser } from '../../speech/recogniser.ts';
import { leaseOf } from '../server/admission-hook.ts';
import { askForBody } from '../server/connection/ask-for-body.ts';
import { answerAtOnce, answerWithEvents } from './answer.ts';
import type { TranscriptionCapacity } from './capacity.ts';
import { ClientGone, connectionSignal } from './connection-signal.ts';
import { startRecognition } from './recognition-run.ts';
import { transcriptionSchema } from './transcription-schema.ts';
import { readUploadHeaders } from './upload/accepted-headers.ts';
import { receiveUpload } from './upload/receive-upload.ts';
import { requestBytes } from './upload/request-bytes.ts';
import { createUploadBuffer } from './upload/upload-buffer.ts';
import { paceUpload, type UploadPaceOptions } from './upload/upload-pace.ts';

export type TranscriptionRouteOptions = {
  recogniser: Pick<Recogniser, 'transcribe'>;
  /** Shared by all environments of the process. */
  capacity: TranscriptionCapacity;
  pace: Omit<UploadPaceOptions, 'signal'>;
  metrics: Pick<Metrics, 'transcribed' | 'refused'>;
  log: Pick<ServiceLog, 'error'>;
  heartbeatMs?: number;
};

const defaultHeartbeatMs = 15_000;

/** `POST /v1/audio/transcriptions`: recognition begins while the file is still being uploaded. */
export function transcriptionRoute(app: FastifyInstance, options: TranscriptionRouteOptions): void {
  const { capacity, log, metrics } = options;

  app.route({
    method: 'POST',
    url: '/v1/audio/transcriptions',
    config: {
      admission: 'connection',
      scope: 'transcribe',
      pacesBody: true,
      documented: transcriptionSchema,
    },
    onRequest: async (request) => void readUploadHeaders(request.headers),
    handler: transcribeUpload,
  });

  async function transcribeUpload(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const lease = leaseOf(request);
    const answered = new AbortController();
    const signal = AbortSignal.any([connectionSignal(reply.raw, lease.revoked), answered.signal]);
    // After the answer, the rest of the body is read and thrown away. Otherwise the answer could be lost.
    reply.raw.once('finish', () => request.raw.resume());
    try {
      const { id } = lease.admitted.project;
      using permit = capacity.takePermit(id);
      await capacity.turnOf(id, signal);
      using buffer = createUploadBuffer({ capacity });
      const startedAt = performance.now();
      askForBody(request, reply);
      const upload = await receiveUpload({
        ...readUploadHeaders(request.headers),
        chunks: paceUpload(requestBytes(request.raw, signal), { ...options.pace, signal }),
        lease,
        buffer,
        start: (bytes, asked) =>
          startRecognition({
            recogniser: options.recogniser,
            bytes,
            options: asked,
            requestId: request.id,
            hurried: permit.isOnlyOne,
            signal,
            onDecoded: (seconds) => lease.reserve(seconds),
          }),
      });
      const answer = upload.options.stream ? answerWithEvents : answerAtOnce;
      const audioSeconds = await answer({
        ...upload,
        reply,
        lease,
        signal,
        heartbeatMs: options.heartbeatMs ?? defaultHeartbeatMs,
        onError: (error) => report(error, request),
      });
      if (audioSeconds !== undefined) {
        metrics.transcribed({ audioSeconds, seconds: (performance.now() - startedAt) / 1000 });
      }
    } catch (error) {
      if (!(signal.reason instanceof ClientGone)) throw error;
      reply.hijack();
    } finally {
      answered.abort(new Error('The request was answered.'));
    }
    return reply;
  }

  /** Counts and logs an error that came too late to be answered with a status. The server does this for all other errors. */
  function report(thrown: unknown, request: FastifyRequest): void {
    const error = toServiceError(thrown);
    metrics.refused(error.code);
    if (error.code === 'internal_error') {
      log.error({ requestId: request.id, error: error.cause ?? error }, 'request failed');
    }
  }
}
