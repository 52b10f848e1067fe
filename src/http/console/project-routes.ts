import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Actor } from '../../accounts/audit/audit-log.ts';
import type { AuditedAccounts } from '../../accounts/audit/audited-accounts.ts';
import type { NewKeyRequest } from '../../accounts/keys/keys.ts';
import type { PlaygroundKeys } from '../../accounts/keys/playground-keys.ts';
import type { Accounts } from '../../accounts/projects/accounts.ts';
import type { ReadUsageReport } from '../../accounts/usage/usage-report.ts';
import { actorOfRequest, consoleRoute } from './console-user.ts';
import { readSessionCookie } from './session-cookie.ts';
import { usageCsv } from './usage-csv.ts';

export type ProjectRoutesOptions = {
  accounts: Accounts;
  accountsFor(actor: Actor): AuditedAccounts;
  readUsage: ReadUsageReport;
  playgroundKeys: PlaygroundKeys;
};

type WithId = { Params: { id: string } };
type Range = { Querystring: { from?: string; to?: string } };

const text = Type.String({ maxLength: 1000 });
const optionalText = Type.Optional(text);
const newProject = Type.Object({ name: text, plan: optionalText });
const projectChange = Type.Object({
  name: optionalText,
  plan: optionalText,
  allow: Type.Optional(Type.Array(text, { maxItems: 200 })),
});
const newKey = Type.Object({
  name: text,
  environment: text,
  // Null comes first: the validator would make an empty text or a list of it otherwise.
  expiresAt: Type.Optional(Type.Union([Type.Null(), text])),
  scopes: Type.Optional(Type.Union([Type.Null(), Type.Array(text, { maxItems: 20 })])),
});
const rolling = Type.Object({ graceHours: Type.Number() });
const keyChange = Type.Object({ name: text });
const range = Type.Object({ from: optionalText, to: optionalText });

/** Projects, their keys and what they used, as the console shows and changes them. */
export function projectRoutes(app: FastifyInstance, options: ProjectRoutesOptions): void {
  const { accounts, accountsFor, readUsage, playgroundKeys } = options;
  const { projects, keys } = accounts;
  /** The accounts for changes, which are noted as those of whoever is signed in. */
  const changing = (request: FastifyRequest) => accountsFor(actorOfRequest(request));
  const viewer = consoleRoute('viewer');
  const operator = consoleRoute('operator');
  const hide = true;

  app.get('/console/api/projects', { config: viewer, schema: { hide }, handler: () => projects.list() });

  app.post<{ Body: { name: string; plan?: string } }>('/console/api/projects', {
    config: operator,
    schema: { hide, body: newProject },
    handler: (request) => changing(request).projects.create(request.body),
  });

  app.patch<WithId & { Body: { name?: string; plan?: string; allow?: string[] } }>(
    '/console/api/projects/:id',
    {
      config: operator,
      schema: { hide, body: projectChange },
      handler: async (request) => {
        const { id } = await projects.find(request.params.id);
        const { name, plan, allow } = request.body;
        const changed = changing(request).projects;
        if (name !== undefined) await changed.rename(id, name);
        if (plan !== undefined) await changed.setPlan(id, plan);
        if (allow !== undefined) await changed.setAllow(id, allow);
        return projects.find(id);
      },
    },
  );

  app.delete<WithId>('/console/api/projects/:id', {
    config: consoleRoute('owner'),
    schema: { hide },
    handler: (request) => changing(request).projects.delete(request.params.id),
  });

  app.get<WithId>('/console/api/projects/:id/keys', {
    config: viewer,
    schema: { hide },
    handler: (request) => keys.list(request.params.id),
  });

  app.post<WithId & { Body: Omit<NewKeyRequest, 'project'> }>('/console/api/projects/:id/keys', {
    config: operator,
    schema: { hide, body: newKey },
    handler: (request) => changing(request).keys.create({ project: request.params.id, ...request.body }),
  });

  app.patch<WithId & { Body: { name: string } }>('/console/api/keys/:id', {
    config: operator,
    schema: { hide, body: keyChange },
    handler: (request) => changing(request).keys.rename(request.params.id, request.body.name),
  });

  app.delete<WithId>('/console/api/keys/:id', {
    config: operator,
    schema: { hide },
    handler: (request) => changing(request).keys.revoke(request.params.id),
  });

  app.post<WithId>('/console/api/keys/:id/regenerate', {
    config: operator,
    schema: { hide },
    handler: (request) => changing(request).keys.regenerate(request.params.id),
  });

  app.post<WithId & { Body: { graceHours: number } }>('/console/api/keys/:id/roll', {
    config: operator,
    schema: { hide, body: rolling },
    handler: (request) => changing(request).keys.roll(request.params.id, request.body.graceHours * 3_600_000),
  });

  app.post<WithId>('/console/api/keys/:id/signature', {
    config: operator,
    schema: { hide },
    handler: (request) => changing(request).keys.requireSignature(request.params.id),
  });

  app.delete<WithId>('/console/api/keys/:id/signature', {
    config: operator,
    schema: { hide },
    handler: (request) => changing(request).keys.dropSignature(request.params.id),
  });

  app.get<WithId & Range>('/console/api/projects/:id/usage', {
    config: viewer,
    schema: { hide, querystring: range },
    handler: ({ params, query }) => readUsage({ ...query, project: params.id }),
  });

  app.get<WithId & Range>('/console/api/projects/:id/usage.csv', {
    config: viewer,
    schema: { hide, querystring: range },
    handler: async ({ params, query }, reply) => {
      const report = await readUsage({ ...query, project: params.id });
      const name = `siann-usage-${report.from}-${report.to}.csv`;
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', `attachment; filename="${name}"`)
        .send(usageCsv(report));
    },
  });

  app.post<WithId>('/console/api/projects/:id/playground-key', {
    config: operator,
    schema: { hide },
    handler: async (request) => ({
      key: await playgroundKeys.keyOf(request.params.id, readSessionCookie(request.raw)!),
    }),
  });
}
