import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { ServiceError } from '../../errors/service-error.ts';
import { leaseOf } from '../server/admission-hook.ts';
import { errorResponses, gateStatuses } from '../server/error-schema.ts';
import { parseMessage } from './conversation.ts';
import {
  defaultSettings,
  describeSettings,
  describeSettingsFlat,
  type OpenaiSettings,
  updateSettings,
} from './dialects/openai-settings.ts';

const maxBodyBytes = 64 * 1024;

/** The answer has more fields than the schema names. */
const open = { additionalProperties: true };

const secretSchema = Type.Object(
  { value: Type.String(), expires_at: Type.Integer(), session: Type.Object({}, open) },
  { title: 'ClientSecret' },
);
const sessionSchema = Type.Object(
  { client_secret: Type.Object({ value: Type.String(), expires_at: Type.Integer() }) },
  { title: 'TranscriptionSession', ...open },
);

/** Tokens as OpenAI's clients ask for them. The settings in the request become the first settings of the stream. */
export function openaiTokenRoutes(app: FastifyInstance): void {
  app.post('/v1/realtime/client_secrets', {
    config: { admission: 'message', scope: 'realtime' },
    schema: describeRoute(
      'createClientSecret',
      'A token for one stream, as OpenAI’s clients ask for it',
      secretSchema,
    ),
    handler: async (request) => {
      const { session } = await readBody(request);
      const { token, expiresAt, settings } = await issue(request, session);
      return {
        value: token,
        expires_at: expiresAt,
        session: describeSettings(settings, request.id, expiresAt),
      };
    },
  });

  app.post('/v1/realtime/transcription_sessions', {
    config: { admission: 'message', scope: 'realtime' },
    schema: describeRoute(
      'createTranscriptionSession',
      'The same for older clients of OpenAI',
      sessionSchema,
    ),
    handler: async (request) => {
      const { token, expiresAt, settings } = await issue(request, await readBody(request));
      return {
        ...describeSettingsFlat(settings, request.id, expiresAt),
        client_secret: { value: token, expires_at: expiresAt },
      };
    },
  });
}

function describeRoute(operationId: string, summary: string, schema: object) {
  return {
    operationId,
    summary,
    tags: ['Realtime'],
    response: {
      200: { description: 'The token.', content: { 'application/json': { schema } } },
      ...errorResponses(400, ...gateStatuses),
    },
  };
}

async function issue(request: FastifyRequest, update: unknown = {}) {
  const settings: OpenaiSettings = updateSettings(defaultSettings, update);
  const { token, expiresAt } = await leaseOf(request).issueToken(JSON.stringify(settings));
  return { token, expiresAt: Math.floor(expiresAt.getTime() / 1000), settings };
}

/** Reads the JSON body. For a key that signs its requests, it also verifies the signature. */
async function readBody(request: FastifyRequest): Promise<Record<string, unknown>> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request.raw) {
    parts.push(part);
    bytes += part.length;
    if (bytes > maxBodyBytes) throw invalid(`The body may be ${maxBodyBytes} bytes at most.`);
  }
  const content = Buffer.concat(parts);
  await leaseOf(request).verifyBody(createHash('sha256').update(content).digest('hex'));
  if (bytes === 0) return {};
  const body = parseMessage(content.toString());
  if (body === undefined) throw invalid('The body must be a JSON object.');
  return body;
}

function invalid(message: string): ServiceError {
  return new ServiceError('invalid_value', { message });
}
