import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { leaseOf } from '../server/admission-hook.ts';
import { errorResponses, gateStatuses } from '../server/error-schema.ts';

const tokenSchema = Type.Object(
  {
    token: Type.String({ description: 'Good for one connection.', examples: ['ek_…'] }),
    expires_at: Type.String({ format: 'date-time', description: 'A minute from now.' }),
  },
  { title: 'StreamToken' },
);

/** `POST /v1/speech/realtime/tokens` makes a token for a web page, because a page must never see a key. */
export function tokenRoute(app: FastifyInstance): void {
  app.post('/v1/speech/realtime/tokens', {
    config: { admission: 'call', scope: 'realtime' },
    schema: {
      operationId: 'createStreamToken',
      summary: 'A token for one stream from a browser',
      description:
        'Your server makes it with its key and gives it to a page. The page connects with `?token=`, or with the sub-protocols `realtime` and `openai-insecure-api-key.<token>`. The limits of the key apply.',
      tags: ['Realtime'],
      response: {
        200: { description: 'The token.', content: { 'application/json': { schema: tokenSchema } } },
        ...errorResponses(...gateStatuses),
      },
    },
    handler: async (request, reply) => {
      const { token, expiresAt } = await leaseOf(request).issueToken();
      reply.header('cache-control', 'no-store');
      return { token, expires_at: expiresAt.toISOString() };
    },
  });
}
