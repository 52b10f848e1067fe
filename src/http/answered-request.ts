import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Environment } from '../accounts/admission.ts';
import type { Metrics } from './metrics.ts';
import type { ServiceLog } from './service-log.ts';
import { boundUnreadBody } from './unread-body.ts';

export type AnsweredRequestOptions = { environment: Environment; log: ServiceLog; metrics: Metrics };

/** What is done exactly once when an answer has ended, or its client has gone: the lease is closed, a line logged, a count made. */
export function createAnsweredRequest({ environment, log, metrics }: AnsweredRequestOptions) {
  return (request: FastifyRequest, reply: FastifyReply, milliseconds: number): Promise<void> | undefined => {
    const { raw } = reply;
    const { lease } = request;
    boundUnreadBody(request.raw);

    const { method, url: route = 'none' } = request.routeOptions;
    const status = raw.headersSent ? raw.statusCode : clientClosedRequest;
    metrics.answered({
      environment,
      route,
      method: method === undefined ? 'other' : request.method,
      status,
      seconds: milliseconds / 1000,
    });
    log.info(
      {
        requestId: request.id,
        environment,
        method: request.method,
        route,
        status,
        milliseconds: Math.round(milliseconds * 10) / 10,
        ...(!raw.writableFinished && { aborted: true }),
        ...(lease && { keyId: lease.admitted.key.id, projectId: lease.admitted.project.id }),
      },
      'request',
    );
    if (!lease) return undefined;
    metrics.leaseClosed();
    return lease
      .close()
      .catch((error) => log.error({ requestId: request.id, err: error }, 'lease not closed'));
  };
}

/** Nobody was there to be answered; as nginx counts it. */
const clientClosedRequest = 499;
