import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Environment } from '../../../wire/account.ts';
import type { ConsoleSession, ConsoleUser, SignInOptions } from '../../../wire/console.ts';
import { type Plans, planIds } from '../../accounts/projects/plans.ts';
import type { NewSession, SignIn } from '../../accounts/sign-in/sign-in.ts';
import { consoleRoute, consoleUserOf } from './console-user.ts';
import { endedSessionCookie, readDeviceCookie, readSessionCookie, sessionCookies } from './session-cookie.ts';

export type SignInRoutesOptions = {
  signIn: SignIn;
  plans: Plans;
  addresses: Record<Environment, string>;
  /** Whether an identity provider is set. */
  offersSingleSignOn: boolean;
};

const text = Type.String({ maxLength: 1000 });
const nameAndPassword = Type.Object({ name: text, password: text });
const linkAndPassword = Type.Object({ link: text, name: text, password: text });

const passwords = Type.Object({ current: text, password: text });

/** Who is using the console. */
export function signInRoutes(app: FastifyInstance, options: SignInRoutesOptions): void {
  const { signIn, plans, addresses } = options;
  const config = consoleRoute('viewer');
  const signedOut = consoleRoute('nobody');

  app.get('/console/api/session', {
    config,
    schema: { hide: true },
    handler: async (request) => sessionView(consoleUserOf(request)),
  });

  app.get('/console/api/sign-in', {
    config: signedOut,
    schema: { hide: true },
    handler: async (): Promise<SignInOptions> => ({ singleSignOn: options.offersSingleSignOn }),
  });

  app.post<{ Body: { name: string; password: string } }>('/console/api/sign-in', {
    config: signedOut,
    schema: { hide: true, body: nameAndPassword },
    handler: async (request, reply) => {
      const session = await signIn.signIn({ ...request.body, ...originOf(request) });
      return begin(session, request, reply);
    },
  });

  app.post<{ Body: { link: string; name: string; password: string } }>('/console/api/setup', {
    config: signedOut,
    schema: { hide: true, body: linkAndPassword },
    handler: async (request, reply) => {
      const { link, ...user } = request.body;
      return begin(await signIn.useLink(link, user, originOf(request)), request, reply);
    },
  });

  app.post<{ Body: { current: string; password: string } }>('/console/api/password', {
    config,
    schema: { hide: true, body: passwords },
    handler: async (request, reply) => {
      const session = await signIn.changePassword(consoleUserOf(request), request.body, originOf(request));
      return begin(session, request, reply);
    },
  });

  app.post('/console/api/sign-out', {
    config,
    schema: { hide: true },
    handler: async (request, reply) => {
      await signIn.signOut(readSessionCookie(request.raw)!);
      return reply.header('set-cookie', endedSessionCookie).code(204).send();
    },
  });

  app.post('/console/api/sign-out-everywhere', {
    config,
    schema: { hide: true },
    handler: async (request, reply) => {
      await signIn.signOutEverywhere(consoleUserOf(request), originOf(request));
      return reply.header('set-cookie', endedSessionCookie).code(204).send();
    },
  });

  /** Ends the session that the browser had before, so that nobody can plant a session which is then signed in. */
  async function begin(session: NewSession, request: FastifyRequest, reply: FastifyReply) {
    const old = readSessionCookie(request.raw);
    if (old !== undefined) await signIn.signOut(old);
    reply.header('set-cookie', sessionCookies(session));
    return sessionView(session.user);
  }

  function sessionView({ id, name, role, hasPassword }: ConsoleUser): ConsoleSession {
    const published = planIds.map((id) => ({
      id,
      ...plans[id],
      quotaMinutes: plans[id].quotaMinutes ?? null,
    }));
    return { user: { id, name, role, hasPassword }, addresses, plans: published };
  }
}

function originOf(request: FastifyRequest) {
  return { address: request.clientAddress, device: readDeviceCookie(request.raw) };
}
