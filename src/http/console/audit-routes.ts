import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { ReadAuditLog } from '../../accounts/audit/audit-log.ts';
import { consoleRoute } from './console-user.ts';

export type AuditRoutesOptions = { readAuditLog: ReadAuditLog };

const page = Type.Object({
  before: Type.Optional(Type.String({ maxLength: 100 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })),
});

/** Who changed what, when and from where. */
export function auditRoutes(app: FastifyInstance, { readAuditLog }: AuditRoutesOptions): void {
  app.get<{ Querystring: { before?: string; limit?: number } }>('/console/api/audit', {
    config: consoleRoute('operator'),
    schema: { hide: true, querystring: page },
    handler: (request) => readAuditLog(request.query),
  });
}
