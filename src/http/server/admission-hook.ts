import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import type { Environment } from '../../../wire/account.ts';
import type { AdmissionKind, Credential, Gate, Lease } from '../../accounts/admission.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Metrics } from '../../operations/metrics.ts';
import type { ServiceState } from '../../operations/service-state.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** How a request is let in. Every route says it; `open` asks for no key. */
    admission?: AdmissionKind | 'open';
    /** Also answered over plain HTTP behind a proxy: for those who look after the service from inside. */
    insecure?: boolean;
    /** Where to look for who is asking, if not in the Authorization header as it is. */
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

/** The one door of every route: no lease, no work. */
export function createAdmissionHook(
  { gate, environment, state, metrics }: AdmissionHookOptions,
  kind: AdmissionKind,
): onRequestAsyncHookHandler {
  return async (request, reply) => {
    if (state.draining) throw new ServiceError('shutting_down');
    const lease = await gate.admit(credentialOf(request, environment), kind);
    // The client went away while it was being let in: nothing would close the lease any more, and nobody waits for an answer.
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
  const { credentials } = request.routeOptions.config;
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
  };
}

function oneHeader(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.[0];
}
