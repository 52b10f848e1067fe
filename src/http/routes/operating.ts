import type { FastifyInstance } from 'fastify';
import type { NetworkList } from '../../addresses/networks.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Metrics } from '../../operations/metrics.ts';
import type { Readiness } from '../../operations/readiness.ts';

export type OperatingRoutesOptions = { readiness: Readiness; metrics: Metrics; metricsAllow: NetworkList };

/** Health, readiness and metrics, for operators. They are not part of the public interface. */
export function operatingRoutes(app: FastifyInstance, options: OperatingRoutesOptions): void {
  const config = { admission: 'open', insecure: true } as const;
  const schema = { hide: true };

  app.get('/healthz', { config, schema, handler: async () => ({ status: 'ok' }) });

  app.get('/readyz', {
    config,
    schema,
    handler: async (_request, reply) => {
      const answer = await options.readiness();
      return reply.code(answer.status === 'ready' ? 200 : 503).send(answer);
    },
  });

  app.get('/metrics', {
    config,
    schema,
    handler: async (request, reply) => {
      // Everybody else is told that there is no such page.
      if (!options.metricsAllow.includes(request.clientAddress)) throw new ServiceError('not_found');
      const { contentType, body } = await options.metrics.read();
      return reply.type(contentType).send(body);
    },
  });
}
