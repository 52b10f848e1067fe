import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { ConsoleUsers } from '../../accounts/sign-in/console-users.ts';
import type { SignIn } from '../../accounts/sign-in/sign-in.ts';
import { actorOfRequest, consoleRoute } from './console-user.ts';

export type UserRoutesOptions = { users: ConsoleUsers; signIn: Pick<SignIn, 'createLink'> };

type WithId = { Params: { id: string } };

const text = Type.String({ maxLength: 200 });
const newLink = Type.Object({ role: Type.Optional(text), user: Type.Optional(text) });
const userChange = Type.Object({ role: text });

/** The people who may use the console. Only owners manage them. */
export function userRoutes(app: FastifyInstance, { users, signIn }: UserRoutesOptions): void {
  const config = consoleRoute('owner');
  const hide = true;

  app.get('/console/api/users', { config, schema: { hide }, handler: () => users.list() });

  app.post<{ Body: { role?: string; user?: string } }>('/console/api/users/links', {
    config,
    schema: { hide, body: newLink },
    handler: async (request) => ({
      link: await signIn.createLink({ ...request.body, by: actorOfRequest(request) }),
    }),
  });

  app.patch<WithId & { Body: { role: string } }>('/console/api/users/:id', {
    config,
    schema: { hide, body: userChange },
    handler: (request) => users.setRole(request.params.id, request.body.role, actorOfRequest(request)),
  });

  app.delete<WithId>('/console/api/users/:id', {
    config,
    schema: { hide },
    handler: (request) => users.remove(request.params.id, actorOfRequest(request)),
  });
}
