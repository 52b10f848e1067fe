import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../../errors/service-error.ts';
import type { ConsoleFiles } from './console-files.ts';
import { pageRoutes } from './page-routes.ts';
import { type ProjectRoutesOptions, projectRoutes } from './project-routes.ts';
import { refuseOtherSites } from './same-site.ts';
import type { ServiceFigures } from './service-figures.ts';
import { readSessionCookie } from './session-cookie.ts';
import { type SignInRoutesOptions, signInRoutes } from './sign-in-routes.ts';

/** What each group of routes needs. */
export type ConsoleRoutesOptions = {
  files: ConsoleFiles;
  signIn: SignInRoutesOptions;
  projects: ProjectRoutesOptions;
  figures: ServiceFigures;
};

const maxBodyBytes = 64 * 1024;

/** The console: its page, and the interface under /console/api that only its page may use. */
export async function consoleRoutes(app: FastifyInstance, options: ConsoleRoutesOptions): Promise<void> {
  const { files, signIn, projects, figures } = options;
  app.decorateRequest('consoleUser', undefined);
  pageRoutes(app, { files });

  await app.register(async (api) => {
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
    api.addHook('onRequest', async (request, reply) => {
      reply.header('cache-control', 'no-store');
      refuseOtherSites(request.raw);
      if (request.routeOptions.config.signedOut) return;
      request.consoleUser = await signIn.signIn.findUser(readSessionCookie(request.raw));
    });
    signInRoutes(api, signIn);
    projectRoutes(api, projects);
    api.get('/console/api/operator', {
      config: { admission: 'open' },
      schema: { hide: true },
      handler: async () => figures.read(),
    });
  });
}
