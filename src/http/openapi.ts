import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import type { Environment } from '../accounts/admission.ts';

export type OpenApiOptions = { addresses(): Record<Environment, string> };

/** Collects the schemas of the routes that are added after it, and serves them as OpenAPI 3.1. */
export async function openApi(app: FastifyInstance, { addresses }: OpenApiOptions): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Siann',
        version: '1.0.0',
        description: 'Speech to text for Mandarin, Taiwanese and English, and speech that mixes them.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      components: {
        securitySchemes: {
          apiKey: {
            type: 'http',
            scheme: 'bearer',
            description: 'A key of this environment: `sk_live_…` or `sk_test_…`.',
          },
        },
      },
      security: [{ apiKey: [] }],
    },
  });
  app.get('/v1/openapi.json', {
    config: { admission: 'open' },
    schema: { hide: true },
    handler: async () => describe(app, addresses()),
  });
}

/** The whole document, with the addresses at which it holds. */
export function describe(app: FastifyInstance, addresses: Record<Environment, string>) {
  const document = app.swagger() as { paths?: Record<string, unknown> } & Record<string, unknown>;
  // The base address ends in /v1 (section 9 of the contract), so the paths begin after it.
  const paths = Object.entries(document.paths ?? {}).map(([path, item]) => [path.replace(/^\/v1/, ''), item]);
  return {
    ...document,
    servers: [
      { url: addresses.live, description: 'Live' },
      { url: addresses.test, description: 'Test' },
    ],
    paths: Object.fromEntries(paths),
  };
}
