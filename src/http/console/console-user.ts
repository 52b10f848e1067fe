import type { FastifyRequest } from 'fastify';
import type { ConsoleUser } from '../../accounts/sign-in/sign-in.ts';
import { ServiceError } from '../../errors/service-error.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A route of the console that needs no session. */
    signedOut?: boolean;
  }
  interface FastifyRequest {
    /** Set on every route of the console that is not `signedOut`. */
    consoleUser: ConsoleUser | undefined;
  }
}

export function consoleUserOf(request: FastifyRequest): ConsoleUser {
  if (!request.consoleUser) throw new ServiceError('not_signed_in');
  return request.consoleUser;
}
