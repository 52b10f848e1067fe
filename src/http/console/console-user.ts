import type { FastifyRequest } from 'fastify';
import type { ConsoleRole, ConsoleUser } from '../../../wire/console.ts';
import type { Actor } from '../../accounts/audit/audit-log.ts';
import { hasRole } from '../../accounts/sign-in/roles.ts';
import { actorOf } from '../../accounts/sign-in/sign-in.ts';
import { ServiceError } from '../../errors/service-error.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may use a route of the console: whoever has this role, or one that may do more. `nobody` needs no session. */
    console?: ConsoleRole | 'nobody';
  }
  interface FastifyRequest {
    /** Set on every route of the console that somebody must be signed in for. */
    consoleUser: ConsoleUser | undefined;
  }
}

/** The configuration of a route under /console/api. */
export function consoleRoute(console: ConsoleRole | 'nobody') {
  return { admission: 'open', console } as const;
}

export function consoleUserOf(request: FastifyRequest): ConsoleUser {
  if (!request.consoleUser) throw new ServiceError('not_signed_in');
  return request.consoleUser;
}

/** Who is noted in the audit log for what this request changes. */
export function actorOfRequest(request: FastifyRequest): Actor {
  return actorOf(consoleUserOf(request), request.clientAddress);
}

export function throwUnlessAllowed(user: ConsoleUser, wanted: ConsoleRole): void {
  if (hasRole(user.role, wanted)) return;
  throw new ServiceError('insufficient_permission', {
    message: `Your role is ${user.role}. This needs the role ${wanted}: ask an owner of this installation.`,
  });
}
