import type { EndReason } from '../../wire/stream-events.ts';

/** How a session has ended; the transport closes with it. */
export type SessionClose = { code: number; reason: EndReason };
