import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Environment } from '../../../wire/account.ts';
import type { EndReason } from '../../../wire/stream-events.ts';
import type { Metrics } from '../../operations/metrics.ts';
import type { ServiceLog } from '../../operations/service-log.ts';
import type { ServiceState } from '../../operations/service-state.ts';
import type { RequestSpan, Tracing } from '../../operations/tracing.ts';
import { boundUnreadBody, closeAfterBody } from './connection/unread-body.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set when the request has become a stream. Its lease is closed, and it is logged, once that has ended. */
    stream: Promise<StreamRecord> | undefined;
  }
}

/** What is recorded of a stream that has ended. */
export type StreamRecord = {
  dialect: string;
  closeCode: number;
  reason: EndReason;
  audioSeconds: number;
  billedSeconds: number;
};

export type RequestRecordOptions = {
  environment: Environment;
  state: ServiceState;
  log: ServiceLog;
  metrics: Metrics;
  tracing?: Tracing | undefined;
};

/**
 * Counts a request as open. When its answer has ended, or its client has gone, the lease is closed and the request is
 * counted, logged and traced, exactly once.
 */
export function createRequestRecord({ environment, state, log, metrics, tracing }: RequestRecordOptions) {
  return (request: FastifyRequest, reply: FastifyReply): void => {
    const receivedAt = performance.now();
    const span = tracing?.startRequest(request.id, request.raw.headers);
    state.requestsOpen++;
    const { socket } = request.raw;
    closeAfterBody(request.raw);
    reply.raw.once('close', () => {
      // Nobody waits for this, and what goes wrong here must not end the process.
      end(request, reply, { receivedAt, socket, span })
        .catch((error) => log.error({ requestId: request.id, err: error }, 'request not recorded'))
        .finally(() => {
          state.requestsOpen--;
        });
    });
  };

  async function end(
    request: FastifyRequest,
    reply: FastifyReply,
    { receivedAt, socket, span }: { receivedAt: number; socket: Socket; span: RequestSpan | undefined },
  ): Promise<void> {
    boundUnreadBody(request.raw, socket);
    const stream = request.stream && (await request.stream);
    record(request, reply, performance.now() - receivedAt, span, stream);
    if (!request.lease) return;
    metrics.leaseClosed();
    await request.lease
      .close()
      .catch((error) => log.error({ requestId: request.id, err: error }, 'lease not closed'));
  }

  function record(
    request: FastifyRequest,
    reply: FastifyReply,
    milliseconds: number,
    span?: RequestSpan,
    stream?: StreamRecord,
  ): void {
    const { method, url: route = 'none' } = request.routeOptions;
    const answer = {
      environment,
      // A method that no route has must not become a label.
      method: method === undefined ? 'other' : request.method,
      route,
      status: stream
        ? switchingProtocols
        : reply.raw.headersSent
          ? reply.raw.statusCode
          : clientClosedRequest,
    };
    const admitted = request.lease?.admitted;
    metrics.answered({ ...answer, seconds: milliseconds / 1000 });
    span?.end({ ...answer, ...(admitted && { projectId: admitted.project.id }) });
    log.info(
      {
        requestId: request.id,
        ...answer,
        milliseconds: Math.round(milliseconds * 10) / 10,
        ...(stream ?? (!reply.raw.writableFinished && { aborted: true })),
        ...(admitted && { keyId: admitted.key.id, projectId: admitted.project.id }),
      },
      'request',
    );
  }
}

const switchingProtocols = 101;
/** nginx's status for a client that has gone before it was answered. */
const clientClosedRequest = 499;
