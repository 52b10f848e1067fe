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
  keepalive: 'Keeps the stream open while no audio is sent.',
  finalize: 'Makes everything said so far final now.',
  close: 'Ends the stream: the last finals come, then session.end, then close 1000.',
};

function describeStream({ servers }: OpenApiOptions) {
  const sent = {
    audio: {
      contentType: 'application/octet-stream',
      summary: 'Audio in the encoding that the address names, at most 256 KiB. An empty message means close.',
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
      description: 'The client sends audio while it is spoken, and receives text while it is recognised.',
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
        summary: 'Messages that the client sends.',
        channel: { $ref: '#/channels/stream' },
        messages: references(Object.keys(sent)),
      },
      receive: {
        action: 'receive',
        summary: 'Events that the client receives.',
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

/** TypeBox keeps a schema's description, but its types do not show it. */
function descriptionOf(schema: object): string {
  return (schema as { description: string }).description;
}

/** Behind a proxy, only the proxy knows the host, so the address of the server has none. */
function serverOf({ url, description }: OpenApiOptions['servers'][number]) {
  const { host, pathname } = new URL(url, 'https://HOST');
  const security = [{ $ref: '#/components/securitySchemes/apiKey' }];
  return { host, pathname, protocol: 'wss', description, security };
}

/** `session.begin` → `sessionBegin`, because references in the document allow no dots in keys. */
function nameOf(type: string): string {
  return type.replace(/\.(\w)/g, (_match, letter: string) => letter.toUpperCase());
}
