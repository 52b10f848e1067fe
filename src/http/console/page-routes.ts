import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors/service-error.ts';
import type { ConsoleFile, ConsoleFiles } from './console-files.ts';

/** The page loads nothing from other sites and nothing inline, and no site may frame it. Recordings are played from memory. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "worker-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

const pageHeaders = {
  'content-security-policy': policy,
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'microphone=(self), camera=(), geolocation=()',
};

/** The console's one page and the files that it loads. */
export function pageRoutes(app: FastifyInstance, { files }: { files: ConsoleFiles }): void {
  const config = { admission: 'open' } as const;
  const schema = { hide: true };

  for (const url of ['/console', '/console/']) {
    app.get(url, {
      config,
      schema,
      handler: async (request, reply) => {
        const { page } = await files.all();
        return send(request, reply.headers({ ...pageHeaders, 'cache-control': 'no-cache' }), page);
      },
    });
  }

  app.get<{ Params: { name: string } }>('/console/assets/:name', {
    config,
    schema,
    handler: async (request, reply) => {
      const file = (await files.all()).assets.get(request.params.name);
      if (!file) throw new ServiceError('not_found');
      const forever = 'public, max-age=31536000, immutable';
      return send(request, reply.headers({ ...pageHeaders, 'cache-control': forever }), file);
    },
  });
}

function send(request: FastifyRequest, reply: FastifyReply, file: ConsoleFile): FastifyReply {
  const accepted = String(request.headers['accept-encoding'] ?? '');
  reply.type(file.type).header('vary', 'accept-encoding');
  if (/\bbr\b/.test(accepted)) return reply.header('content-encoding', 'br').send(file.brotli);
  if (/\bgzip\b/.test(accepted)) return reply.header('content-encoding', 'gzip').send(file.gzip);
  return reply.send(file.plain);
}
