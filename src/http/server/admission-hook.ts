import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import type { Environment, KeyScope } from '../../../wire/account.ts';
import type { AdmissionKind, Credential, Gate, Lease } from '../../accounts/admission.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Metrics } from '../../operations/metrics.ts';
import type { ServiceState } from '../../operations/service-state.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** How requests are admitted. Every route must say it; `open` needs no key. */
    admission?: AdmissionKind | 'open';
    /** What the key must be allowed to do. Every route that is not open must say it; `any` is for every key. */
    scope?: KeyScope | 'any';
    /** Answered over plain HTTP too, for probes that do not pass the proxy. */
    insecure?: boolean;
    /** The route itself ends a body that comes too slowly, because it may take long. All other bodies have a deadline. */
    pacesBody?: boolean;
    /** Finds the credentials of a request, if they are not simply the Authorization header. */
    credentials?: (request: FastifyRequest['raw']) => Pick<Credential, 'authorization' | 'streamToken'>;
  }
  interface FastifyRequest {
    /** Set before a byte of the body is read, on every route that is not open; closed when the answer has ended. */
    lease: Lease | undefined;
    /** The client's address, as the trusted proxy reports it where there is one. */
    clientAddress: string;
  }
}

export type AdmissionHookOptions = {
  gate: Gate;
  environment: Environment;
  state: ServiceState;
  metrics: Pick<Metrics, 'leaseOpened'>;
};

/** Admits the requests of every route that is not open: without a lease there is no work. */
export function createAdmissionHook(
  { gate, environment, state, metrics }: AdmissionHookOptions,
  kind: AdmissionKind,
): onRequestAsyncHookHandler {
  return async (request, reply) => {
    if (state.draining) throw new ServiceError('shutting_down');
    const lease = await gate.admit(credentialOf(request, environment), kind);
    // The client has gone while the gate was at work. Nothing else would close the lease, and nobody waits for an answer.
    if (reply.raw.closed) {
      reply.hijack();
      return lease.close();
    }
    request.lease = lease;
    metrics.leaseOpened();
  };
}

export function leaseOf(request: FastifyRequest): Lease {
  if (!request.lease) throw new Error('The route is open and has no lease.');
  return request.lease;
}

function credentialOf(request: FastifyRequest, environment: Environment) {
  const { headers, url = '', method = '' } = request.raw;
  const { credentials, scope } = request.routeOptions.config;
  return {
    requestId: request.id,
    environment,
    ...(credentials?.(request.raw) ?? { authorization: headers.authorization }),
    projectId: oneHeader(headers['x-project-id']) ?? oneHeader(headers['openai-project']),
    address: request.clientAddress,
    method,
    url,
    signature: oneHeader(headers['x-signature']),
    signatureTimestamp: oneHeader(headers['x-signature-timestamp']),
    scope: scope === 'any' ? undefined : scope,
  };
}

function oneHeader(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.[0];
}
