import type { IncomingMessage } from 'node:http';
import type { FastifySchema } from 'fastify';
import type { BeginConversation } from './conversation.ts';
import type { RequestCredentials } from './stream-credentials.ts';

/** A way to speak about a stream that clients already know. */
export type Dialect = {
  /** A word for the figures. */
  name: string;
  url: string;
  credentials(request: IncomingMessage): RequestCredentials;
  /** How the address looks in the OpenAPI document, if it stands there. */
  documented?: FastifySchema;
  /** Reads what the address asks for, before the upgrade. Throws invalid_value. */
  read(query: URLSearchParams, offers: StreamOffers): BeginConversation;
};

/** What this service can do for a stream. */
export type StreamOffers = { speakers: boolean };
