import type { IncomingMessage } from 'node:http';
import type { FastifySchema } from 'fastify';
import type { BeginConversation } from './conversation.ts';
import type { RequestCredentials } from './stream-credentials.ts';

/** An interface for streams that clients of some service already know. */
export type Dialect = {
  /** Its name in metrics and logs. */
  name: string;
  url: string;
  credentials(request: IncomingMessage): RequestCredentials;
  /** Its description in the OpenAPI document, if it has one. */
  documented?: FastifySchema;
  /** Reads the query of the address, before the upgrade. Throws invalid_value. */
  read(query: URLSearchParams, offers: StreamOffers): BeginConversation;
};

/** What this service can do for a stream. */
export type StreamOffers = { speakers: boolean };
