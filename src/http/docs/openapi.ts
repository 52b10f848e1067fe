import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { nameSchemas } from './named-schemas.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A schema only for the document. The route itself reads the request, with its own sentence for each mistake. */
    documented?: FastifySchema;
  }
}

export type OpenApiDocument = {
  openapi: string;
  info: { title: string; version: string; description: string };
  servers: { url: string; description: string }[];
  components: { schemas: Record<string, object> };
  /** Relative to the base address, which ends in /v1. */
  paths: Record<string, Record<string, OpenApiOperation>>;
};

export type OpenApiOperation = {
  operationId: string;
  summary?: string;
  description?: string;
  tags?: string[];
  parameters?: {
    name: string;
    in: string;
    required?: boolean;
    description?: string;
    schema: OpenApiSchema;
  }[];
  requestBody?: { content: Record<string, { schema: OpenApiSchema }> };
  responses: Record<string, { description: string; content?: Record<string, { schema: OpenApiSchema }> }>;
};

export type OpenApiSchema = {
  type?: string;
  enum?: readonly string[];
  format?: string;
  description?: string;
  default?: unknown;
  required?: readonly string[];
  properties?: Record<string, OpenApiSchema>;
};

export type OpenApiOptions = { servers: OpenApiDocument['servers'] };

/** Collects the schemas of the routes that are added after it, and serves them as OpenAPI 3.1. */
export async function openApi(app: FastifyInstance, { servers }: OpenApiOptions): Promise<void> {
  await app.register(swagger, {
    openapi: description,
    transform: ({ schema, url, route }) => ({ schema: route.config?.documented ?? schema, url }),
  });
  let document = Buffer.alloc(0);
  app.addHook('onReady', async () => {
    document = Buffer.from(JSON.stringify(describeRoutes(app, servers)));
  });
  app.get('/v1/openapi.json', {
    config: { admission: 'open' },
    schema: { hide: true },
    handler: async (_request, reply) => reply.type('application/json; charset=utf-8').send(document),
  });
}

/** The whole document, once every route has been added. */
export function describeRoutes(app: FastifyInstance, servers: OpenApiDocument['servers']): OpenApiDocument {
  const { paths = {}, ...rest } = app.swagger();
  const relative = Object.entries(paths).map(([path, item]) => [path.replace(/^\/v1/, ''), item]);
  return nameSchemas({ ...rest, servers, paths: Object.fromEntries(relative) }) as OpenApiDocument;
}

const description = {
  openapi: '3.1.0',
  info: {
    title: 'Siann',
    version: '1.0.0',
    description: 'Speech to text for Mandarin, Taiwanese and English, and for speech that mixes them.',
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  components: {
    securitySchemes: {
      apiKey: {
        type: 'http' as const,
        scheme: 'bearer',
        description: 'A key of the environment: `sk_live_…` or `sk_test_…`.',
      },
    },
  },
  security: [{ apiKey: [] }],
};
