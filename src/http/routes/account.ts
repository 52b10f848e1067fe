import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { UsageViews } from '../../accounts/usage/usage-views.ts';
import { leaseOf } from '../server/admission-hook.ts';
import { errorResponses, gateStatuses } from '../server/error-schema.ts';

const minutes = (description: string) => Type.Number({ description: `${description}, in minutes.` });
const minutesOrNull = (description: string) =>
  Type.Union([Type.Number(), Type.Null()], {
    description: `${description}, in minutes; null without limit.`,
  });

const monthlyUsage = {
  currentMonth: minutes('Audio transcribed this month'),
  quota: minutesOrNull('What the plan allows in a month'),
  remaining: minutesOrNull('What is left of it'),
  resetDate: Type.String({ format: 'date-time', description: 'When the next month begins (UTC).' }),
};

const environment = oneOf('live', 'test');

export const accountSchema = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    environment,
    project: Type.Object({ id: Type.String(), name: Type.String() }),
    plan: oneOf('free', 'basic', 'professional', 'enterprise'),
    key: Type.Object({
      id: Type.String(),
      prefix: Type.String({ description: 'The first characters of the key.' }),
      createdAt: Type.String({ format: 'date-time' }),
    }),
    usage: Type.Object(monthlyUsage),
    rateLimit: Type.Object({
      requestsPerSecond: Type.Number(),
      concurrentConnections: Type.Number(),
    }),
  },
  { title: 'Account' },
);

export const usageSchema = Type.Object(
  {
    ...monthlyUsage,
    environment,
    daily: Type.Array(
      Type.Object({
        date: Type.String({ format: 'date' }),
        minutes: minutes('Audio transcribed that day'),
        requests: Type.Integer(),
      }),
      { description: 'The days on which something was transcribed.' },
    ),
  },
  { title: 'Usage' },
);

const day = (description: string) => Type.Optional(Type.String({ description, examples: ['2026-11-15'] }));

const usageQuery = Type.Object({
  from: day('The first day (UTC), as YYYY-MM-DD; by default the first of the month.'),
  to: day('The last day (UTC), as YYYY-MM-DD; by default today. At most 366 days after `from`.'),
});

/** What a key may know of itself. */
export function accountRoutes(app: FastifyInstance, { views }: { views: UsageViews }): void {
  app.get('/v1/account', {
    config: { admission: 'call', scope: 'account' },
    schema: {
      operationId: 'getAccount',
      summary: 'Account information',
      tags: ['Account'],
      response: {
        200: {
          description: 'The account, project and plan of the key.',
          content: { 'application/json': { schema: accountSchema } },
        },
        ...errorResponses(...gateStatuses),
      },
    },
    handler: (request) => views.readAccount(leaseOf(request).admitted),
  });

  app.get<{ Querystring: { from?: string; to?: string } }>('/v1/usage', {
    config: { admission: 'call', scope: 'account' },
    schema: {
      operationId: 'getUsage',
      summary: 'Usage by day',
      tags: ['Account'],
      querystring: usageQuery,
      response: {
        200: {
          description: 'The usage of the key.',
          content: { 'application/json': { schema: usageSchema } },
        },
        ...errorResponses(400, ...gateStatuses),
      },
    },
    handler: (request) => views.readUsage(leaseOf(request).admitted, request.query),
  });
}

function oneOf(...values: string[]) {
  return Type.Unsafe<string>({ type: 'string', enum: values });
}
