import type { EndReason } from '../../wire/stream-events.ts';
import type { ErrorCode } from '../errors/catalogue.ts';

/** The last thing a session says; the transport closes with it. */
export type SessionClose = { code: number; reason: EndReason; errorCode?: ErrorCode };
