import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { ListedKey } from '../../../wire/console.ts';
import { readLastUsed } from '../../accounts/keys/last-used.ts';
import type { Accounts } from '../../accounts/projects/accounts.ts';
import type { ReadUsageReport } from '../../accounts/usage/usage-report.ts';
import type { Database } from '../../storage/database.ts';
import type { PlaygroundKeys } from './playground-keys.ts';
import { usageCsv } from './usage-csv.ts';

export type ProjectRoutesOptions = {
  accounts: Accounts;
  database: Database;
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
const newKey = Type.Object({ name: text, environment: text });
const keyChange = Type.Object({ name: text });
const range = Type.Object({ from: optionalText, to: optionalText });

/** Projects, their keys and what they used, as the console shows and changes them. */
export function projectRoutes(app: FastifyInstance, options: ProjectRoutesOptions): void {
  const { accounts, database, readUsage, playgroundKeys } = options;
  const { projects, keys } = accounts;
  const config = { admission: 'open' } as const;
  const hide = true;

  app.get('/console/api/projects', { config, schema: { hide }, handler: () => projects.list() });

  app.post<{ Body: { name: string; plan?: string } }>('/console/api/projects', {
    config,
    schema: { hide, body: newProject },
    handler: (request) => projects.create(request.body),
  });

  app.patch<WithId & { Body: { name?: string; plan?: string; allow?: string[] } }>(
    '/console/api/projects/:id',
    {
      config,
      schema: { hide, body: projectChange },
      handler: async ({ params: { id }, body: { name, plan, allow } }) => {
        if (name !== undefined) await projects.rename(id, name);
        if (plan !== undefined) await projects.setPlan(id, plan);
        if (allow !== undefined) await projects.setAllow(id, allow);
        return projects.find(id);
      },
    },
  );

  app.delete<WithId>('/console/api/projects/:id', {
    config,
    schema: { hide },
    handler: (request) => projects.delete(request.params.id),
  });

  app.get<WithId>('/console/api/projects/:id/keys', {
    config,
    schema: { hide },
    handler: async (request): Promise<ListedKey[]> => {
      const [listed, lastUsed] = [await keys.list(request.params.id), await readLastUsed(database)];
      return listed.map((key) => ({ ...key, lastUsed: lastUsed.get(key.id) ?? null }));
    },
  });

  app.post<WithId & { Body: { name: string; environment: string } }>('/console/api/projects/:id/keys', {
    config,
    schema: { hide, body: newKey },
    handler: ({ params, body }) => keys.create({ project: params.id, ...body }),
  });

  app.patch<WithId & { Body: { name: string } }>('/console/api/keys/:id', {
    config,
    schema: { hide, body: keyChange },
    handler: ({ params, body }) => keys.rename(params.id, body.name),
  });

  app.delete<WithId>('/console/api/keys/:id', {
    config,
    schema: { hide },
    handler: (request) => keys.revoke(request.params.id),
  });

  app.post<WithId>('/console/api/keys/:id/regenerate', {
    config,
    schema: { hide },
    handler: (request) => keys.regenerate(request.params.id),
  });

  app.post<WithId>('/console/api/keys/:id/signature', {
    config,
    schema: { hide },
    handler: (request) => keys.requireSignature(request.params.id),
  });

  app.delete<WithId>('/console/api/keys/:id/signature', {
    config,
    schema: { hide },
    handler: (request) => keys.dropSignature(request.params.id),
  });

  app.get<WithId & Range>('/console/api/projects/:id/usage', {
    config,
    schema: { hide, querystring: range },
    handler: ({ params, query }) => readUsage({ ...query, project: params.id }),
  });

  app.get<WithId & Range>('/console/api/projects/:id/usage.csv', {
    config,
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
    config,
    schema: { hide },
    handler: async (request) => ({ key: await playgroundKeys.keyOf(request.params.id) }),
  });
}
