import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../../errors/service-error.ts';
import { type AuditRoutesOptions, auditRoutes } from './audit-routes.ts';
import type { ConsoleFiles } from './console-files.ts';
import { consoleRoute, throwUnlessAllowed } from './console-user.ts';
import { pageRoutes } from './page-routes.ts';
import { type ProjectRoutesOptions, projectRoutes } from './project-routes.ts';
import { refuseOtherSites } from './same-site.ts';
import type { ServiceFigures } from './service-figures.ts';
import { readSessionCookie } from './session-cookie.ts';
import { type SignInRoutesOptions, signInRoutes } from './sign-in-routes.ts';
import { type SingleSignOn, singleSignOnRoutes } from './single-sign-on/single-sign-on-routes.ts';
import { type UserRoutesOptions, userRoutes } from './user-routes.ts';

/** What each group of routes needs. */
export type ConsoleRoutesOptions = {
  files: ConsoleFiles;
  signIn: SignInRoutesOptions;
  projects: ProjectRoutesOptions;
  users: UserRoutesOptions;
  audit: AuditRoutesOptions;
  figures: ServiceFigures;
  /** Undefined when no identity provider is set. */
  singleSignOn: SingleSignOn | undefined;
  /** Whether the console may be used from this address. */
  allowsAddress(address: string): boolean;
};

const maxBodyBytes = 64 * 1024;

/** The console: its page, and the interface under /console/api that only its page may use. */
export async function consoleRoutes(app: FastifyInstance, options: ConsoleRoutesOptions): Promise<void> {
  const { files, signIn, projects, users, audit, figures } = options;
  app.decorateRequest('consoleUser', undefined);

  await app.register(async (everything) => {
    everything.addHook('onRequest', async (request) => {
      if (options.allowsAddress(request.clientAddress)) return;
      const message =
        'The console may not be used from this address. SIANN_CONSOLE names the networks that may.';
      throw new ServiceError('ip_not_allowed', { message });
    });
    pageRoutes(everything, { files });
    if (options.singleSignOn) singleSignOnRoutes(everything, options.singleSignOn);
    await everything.register(async (api) => {
      readJson(api);
      checkRoles(api);
      signInRoutes(api, signIn);
      projectRoutes(api, projects);
      userRoutes(api, users);
      auditRoutes(api, audit);
      api.get('/console/api/operator', {
        config: consoleRoute('viewer'),
        schema: { hide: true },
        handler: async () => figures.read(),
      });
    });
  });

  /** Every route says who may use it. One that does not say so stops the start. */
  function checkRoles(api: FastifyInstance): void {
    api.addHook('onRoute', (route) => {
      if (route.config?.console === undefined)
        throw new Error(`The route ${route.url} does not say which role may use it.`);
    });
    api.addHook('onRequest', async (request, reply) => {
      reply.header('cache-control', 'no-store');
      refuseOtherSites(request.raw);
      const { console: wanted } = request.routeOptions.config;
      if (wanted === 'nobody') return;
      const user = await signIn.signIn.findUser(readSessionCookie(request.raw));
      throwUnlessAllowed(user, wanted!);
      request.consoleUser = user;
    });
  }
}

function readJson(api: FastifyInstance): void {
  api.addContentTypeParser(
    'application/json',
    { parseAs: 'string', bodyLimit: maxBodyBytes },
    (_request, body, done) => {
      try {
        done(null, body === '' ? undefined : JSON.parse(String(body)));
      } catch (cause) {
        const message = 'The body is not JSON.';
        done(new ServiceError('invalid_value', { message, cause }));
      }
    },
  );
}
