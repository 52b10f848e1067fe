import type { FastifyInstance } from 'fastify';

/** What a page may read besides the body. */
const exposed = 'x-request-id, retry-after, retry-after-ms, x-ratelimit-retry-after, x-should-retry';
const headerNames = /^[\w\-, ]{1,1000}$/;

/**
 * Allows pages of these origins to call the service from a browser. Keys are sent in a header and never in a cookie, so a
 * page can use no key that it was not given.
 */
export function allowOrigins(app: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  const allowed = new Set(origins);
  const everybody = allowed.has('*');

  app.addHook('onRequest', (request, reply, done) => {
    const { origin, ...headers } = request.headers;
    if (!everybody) reply.header('vary', 'Origin');
    if (origin === undefined || !(everybody || allowed.has(origin))) return done();
    reply.header('access-control-allow-origin', everybody ? '*' : origin);
    reply.header('access-control-expose-headers', exposed);
    const isPreflight =
      request.method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
    if (!isPreflight) return done();
    const asked = String(headers['access-control-request-headers'] ?? '');
    reply
      .code(204)
      .headers({
        'access-control-allow-methods': 'GET, HEAD, POST',
        'access-control-allow-headers': headerNames.test(asked) ? asked : 'authorization, content-type',
        'access-control-max-age': '600',
      })
      .send();
  });
}
