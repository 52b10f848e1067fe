import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { SignIn } from '../../../accounts/sign-in/sign-in.ts';
import { senderOf } from '../../../addresses/client-address.ts';
import type { ServiceLog } from '../../../operations/service-log.ts';
import type { Counters } from '../../../storage/counters.ts';
import type { Seal } from '../../../storage/seal.ts';
import { refuseOtherSites } from '../same-site.ts';
import { readDeviceCookie, sessionCookies } from '../session-cookie.ts';
import type { IdentityProvider } from './identity-provider.ts';
import { providedUser, type RoleRules } from './provided-user.ts';
import { endedSignOnCookie, readSignOnCookie, signOnCookie } from './sign-on-cookie.ts';

export type SingleSignOn = {
  provider: IdentityProvider;
  rules: RoleRules;
  seal: Seal;
  counters: Pick<Counters, 'countUp' | 'readCount'>;
  signIn: Pick<SignIn, 'signInProvided'>;
  log: Pick<ServiceLog, 'warn'>;
  clock?: { now(): number };
};

/** Where the provider sends the browser back to. */
export const callbackPath = '/console/single-sign-on/callback';

/** Why somebody is back at the sign-in page. The page has a sentence for each. */
type Problem = 'failed' | 'no_role' | 'too_many';

const maxFailures = 20;
const forgetAfterMs = 15 * 60_000;

/** Signing in with the operator's identity provider. These are addresses that the browser opens, not calls of the page. */
export function singleSignOnRoutes(app: FastifyInstance, options: SingleSignOn): void {
  const { provider, rules, seal, counters, signIn, log, clock = Date } = options;
  const config = { admission: 'open' } as const;
  const schema = { hide: true };
  const failuresOf = (request: FastifyRequest) => `sign-on address ${senderOf(request.clientAddress)}`;

  /** Answers with the page, which says what went wrong. A reason that the provider gives is for the log alone. */
  const backTo = (reply: FastifyReply, problem: Problem) =>
    reply.header('set-cookie', endedSignOnCookie).redirect(`/console#/?problem=${problem}`, 302);
  /** Each try may cost a call to the provider. */
  const guarded =
    (work: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>) =>
    async (request: FastifyRequest, reply: FastifyReply) => {
      reply.header('cache-control', 'no-store');
      if ((await counters.readCount(failuresOf(request))) >= maxFailures) return backTo(reply, 'too_many');
      try {
        return await work(request, reply);
      } catch (error) {
        await counters.countUp(failuresOf(request), forgetAfterMs);
        log.warn({ requestId: request.id, reason: reasonOf(error) }, 'single sign-on failed');
        return backTo(reply, 'failed');
      }
    };

  app.get('/console/single-sign-on', {
    config,
    schema,
    onRequest: async (request) => refuseOtherSites(request.raw),
    handler: guarded(async (_request, reply) => {
      const { address, flow } = await provider.begin();
      return reply.header('set-cookie', signOnCookie(seal, flow, clock.now())).redirect(address, 302);
    }),
  });

  app.get(callbackPath, {
    config,
    schema,
    handler: guarded(async (request, reply) => {
      const flow = readSignOnCookie(seal, request.raw, clock.now());
      if (!flow) throw new Error('The browser did not begin here, or more than ten minutes ago.');
      const query = (request.raw.url ?? '').split('?', 2)[1] ?? '';
      const user = providedUser(await provider.finish(query, flow), rules);
      if (!user) return backTo(reply, 'no_role');
      const from = { address: request.clientAddress, device: readDeviceCookie(request.raw) };
      const session = await signIn.signInProvided(user, from);
      return reply
        .header('set-cookie', [...sessionCookies(session), endedSignOnCookie])
        .redirect('/console', 302);
    }),
  });
}

/** Codes and sentences of the library; never a token, a code or a claim. */
function reasonOf(error: unknown): string {
  const { message, code, cause } = error as Error & { code?: string };
  const inner = (cause as Error | undefined)?.message;
  return [code, message, inner].filter(Boolean).join(': ').slice(0, 300);
}
