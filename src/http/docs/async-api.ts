import type { FastifyInstance } from 'fastify';
import { eventSchemas } from './event-schemas.ts';
import type { OpenApiOptions } from './openapi.ts';

/** The protocol of live captions as AsyncAPI 3.0 (https://www.asyncapi.com/docs/reference/specification/v3.0.0). */
export function asyncApi(app: FastifyInstance, options: OpenApiOptions): void {
  const document = JSON.stringify(describeStream(options));
  app.get('/v1/asyncapi.json', {
    config: { admission: 'open' },
    schema: { hide: true },
    handler: async (_request, reply) => reply.type('application/json; charset=utf-8').send(document),
  });
}

const controls = {
  keepalive: 'Nobody speaks, and the stream shall stay open.',
  finalize: 'Make everything said so far final now.',
  close: 'That was all: the last finals, session.end, close 1000.',
};

export function describeStream({ servers }: OpenApiOptions) {
  const sent = {
    audio: {
      contentType: 'application/octet-stream',
      summary: 'Audio as the address says, at most 256 KiB; an empty message means close.',
      payload: { type: 'string', format: 'binary' },
    },
    ...Object.fromEntries(
      Object.entries(controls).map(([type, summary]) => [
        type,
        {
          contentType: 'application/json',
          summary,
          payload: { type: 'object', required: ['type'], properties: { type: { const: type } } },
        },
      ]),
    ),
  };
  const received = Object.fromEntries(
    Object.entries(eventSchemas).map(([type, payload]) => [
      nameOf(type),
      { name: type, contentType: 'application/json', summary: descriptionOf(payload), payload },
    ]),
  );
  const references = (names: string[]) =>
    names.map((name) => ({ $ref: `#/channels/stream/messages/${name}` }));
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Siann live captions',
      version: '1.0.0',
      description: 'Audio goes in as it is spoken, text comes out as it is recognised.',
      license: { name: 'Apache-2.0' },
    },
    defaultContentType: 'application/json',
    servers: Object.fromEntries(
      servers.map((server) => [server.description.split(' ')[0]!.toLowerCase(), serverOf(server)]),
    ),
    channels: {
      stream: {
        address: '/speech/realtime',
        title: 'One stream',
        messages: { ...sent, ...received },
        bindings: { ws: { method: 'GET', bindingVersion: '0.1.0' } },
      },
    },
    operations: {
      send: {
        action: 'send',
        summary: 'What the client sends.',
        channel: { $ref: '#/channels/stream' },
        messages: references(Object.keys(sent)),
      },
      receive: {
        action: 'receive',
        summary: 'What the client reads.',
        channel: { $ref: '#/channels/stream' },
        messages: references(Object.keys(received)),
      },
    },
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'A key, or a one-use token as `?token=`.' },
      },
    },
  };
}

/** TypeBox keeps what it is told about a schema, but not in its type. */
function descriptionOf(schema: object): string {
  return (schema as { description: string }).description;
}

/** Behind a proxy only the proxy knows the host. */
function serverOf({ url, description }: OpenApiOptions['servers'][number]) {
  const { host, pathname } = new URL(url, 'https://HOST');
  const security = [{ $ref: '#/components/securitySchemes/apiKey' }];
  return { host, pathname, protocol: 'wss', description, security };
}

/** `session.begin` → `sessionBegin`: keys of the document may not have dots in references. */
function nameOf(type: string): string {
  return type.replace(/\.(\w)/g, (_match, letter: string) => letter.toUpperCase());
}
