import { randomUUID } from 'node:crypto';

/** Always made here. An id that a client sends is not used, since the ledger depends on unique ids. */
export function createRequestId(): string {
  return `req_${randomUUID()}`;
}
