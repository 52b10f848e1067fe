import type { RequestListener, Server } from 'node:http';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Gate } from '../../accounts/admission.ts';
import { toServiceError } from '../../errors/framework-errors.ts';
import { errorBody, ServiceError } from '../../errors/service-error.ts';
import { createAdmissionHook } from './admission-hook.ts';
import { answerClientError } from './client-error.ts';
import type { ClientOrigin } from './client-origin.ts';
import { askForBody } from './connection/ask-for-body.ts';
import { startBodyDeadline } from './connection/body-deadline.ts';
import { errorHeaders } from './error-headers.ts';
import { createKnownPaths } from './known-paths.ts';
import { createRequestId } from './request-id.ts';
import { createRequestRecord, type RequestRecordOptions } from './request-record.ts';

export type EnvironmentAppOptions = RequestRecordOptions & {
  gate: Gate;
  clientOrigin(request: FastifyRequest['raw']): ClientOrigin;
  createServer(handler: RequestListener): Server;
  /** Tells browsers to use HTTPS only. This is for certificates that browsers trust. */
  strictTransport?: boolean;
  /** How long a body may take, on every route that does not pace it. */
  bodyMs?: number;
  /** A client that reads nothing of its answer for so long is gone. */
  unreadMs?: number;
  /** Adds the routes. */
  routes(app: FastifyInstance): void | Promise<void>;
};

const defaultBodyMs = 10_000;
const defaultUnreadMs = 15_000;

/** Receives, admits and answers every request of one environment, whatever happens on the way. */
export async function createEnvironmentApp(options: EnvironmentAppOptions): Promise<FastifyInstance> {
  const { environment, gate, state, log, metrics, tracing } = options;
  const record = createRequestRecord({ environment, state, log, metrics, tracing });
  const knownPaths = createKnownPaths();
  const app = Fastify({
    serverFactory: options.createServer as never,
    genReqId: createRequestId,
    frameworkErrors: (error, request, reply) => {
      receive(request, reply);
      answerError(error, request, reply);
    },
    clientErrorHandler: (error, socket) => answerClientError(error, socket),
    return503OnClosing: false,
    routerOptions: { maxParamLength: 200 },
  });

  app.decorateRequest('lease', undefined);
  app.decorateRequest('clientAddress', '');
  app.decorateRequest('stream', undefined);
  // A body is read by its route only, after the gate has admitted the request.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));

  app.addHook('onRoute', (route) => {
    const admission = route.config?.admission;
    if (admission === undefined) throw new Error(`The route ${route.url} does not say how it is admitted.`);
    knownPaths.add(route.url, route.method);
    if (admission === 'open') return;
    if (route.config?.scope === undefined) throw new Error(`The route ${route.url} does not say its scope.`);
    route.onRequest = [
      createAdmissionHook({ gate, environment, state, metrics }, admission),
      ...[route.onRequest ?? []].flat(),
    ];
  });
  app.addHook('onRequest', (request, reply, done) => {
    receive(request, reply);
    const { address, secure } = options.clientOrigin(request.raw);
    request.clientAddress = address;
    if (!request.routeOptions.config.pacesBody) expectBody(request, reply);
    if (state.draining) reply.header('connection', 'close');
    done(secure || request.routeOptions.config.insecure ? undefined : new ServiceError('https_required'));
  });
  // The gate has admitted the request. A route that paces its body asks for it by itself.
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (!request.routeOptions.config.pacesBody) askForBody(request, reply);
    done(null, payload);
  });
  app.addHook('onSend', (request, reply, _payload, done) => {
    // Node.js destroys a socket on which nothing has moved for so long. After the answer, it sets the time of idle connections.
    reply.raw.socket?.setTimeout(options.unreadMs ?? defaultUnreadMs);
    if (request.routeOptions.config.pacesBody) expectBody(request, reply);
    done();
  });
  app.setErrorHandler(answerError);
  app.setNotFoundHandler((request, reply) => {
    const allowed = knownPaths.methodsOf(request.raw.url ?? '');
    if (allowed === undefined) throw new ServiceError('not_found');
    reply.header('allow', allowed);
    if (request.method === 'OPTIONS') return reply.code(204).send();
    throw new ServiceError('method_not_allowed');
  });
  await options.routes(app);
  await app.ready();
  return app;

  function receive(request: FastifyRequest, reply: FastifyReply): void {
    record(request, reply);
    reply.header('x-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
    if (options.strictTransport) reply.header('strict-transport-security', 'max-age=31536000');
  }

  function expectBody(request: FastifyRequest, reply: FastifyReply): void {
    const stop = startBodyDeadline(request.raw, options.bodyMs ?? defaultBodyMs, () => {
      if (!reply.sent)
        answerError(new ServiceError('request_timeout'), request, reply.header('connection', 'close'));
    });
    request.raw.once('close', stop);
  }

  function answerError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const error = toServiceError(thrown);
    // A client that leaves in the middle of its body is no failure of ours. Its line in the log says that it has gone.
    const hasLeft = !request.raw.complete && (thrown as NodeJS.ErrnoException).code === 'ECONNRESET';
    if (error.code === 'internal_error' && !hasLeft)
      log.error({ requestId: request.id, err: error.cause ?? error }, 'request failed');
    if (error.code === 'unavailable')
      log.warn({ requestId: request.id, reason: (error.cause as Error | undefined)?.message }, 'not reached');
    if (!hasLeft) metrics.refused(error.code);
    reply
      .code(error.status)
      .headers({ ...errorHeaders(error), 'content-type': 'application/json; charset=utf-8' })
      .send(JSON.stringify(errorBody(error)));
  }
}
