import type { FastifyReply, FastifyRequest } from 'fastify';

/** Tells a client that waits with its body (`Expect: 100-continue`) to send it. Clients of HTTP/1.0 know no such answer. */
export function askForBody({ raw, headers }: FastifyRequest, reply: FastifyReply): void {
  if (headers.expect?.toLowerCase() === '100-continue' && raw.httpVersion === '1.1')
    reply.raw.writeContinue();
}
