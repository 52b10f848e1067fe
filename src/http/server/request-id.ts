import { randomUUID } from 'node:crypto';

/** Ours alone: an id that a client sends is not believed, since the ledger goes by it. */
export function createRequestId(): string {
  return `req_${randomUUID()}`;
}
