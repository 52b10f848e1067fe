import { Type } from 'typebox';

export const errorSchema = Type.Object(
  {
    error: Type.Object({
      message: Type.String({ description: 'What is wrong and what to do, in a sentence.' }),
      type: Type.String(),
      param: Type.Optional(Type.String({ description: 'The parameter that caused the error.' })),
      code: Type.Optional(Type.String()),
    }),
  },
  { title: 'Error', description: 'What every error looks like.' },
);

const descriptions: Record<number, string> = {
  400: 'A field or the file is not as it should be.',
  401: 'The API key is missing, malformed, unknown, revoked, or of the other environment.',
  403: 'The key may not do this, or the address, the signature or the scheme of the request is not allowed.',
  404: 'There is no such project, model or address.',
  405: 'The address does not answer to that method.',
  408: 'The request took too long to arrive.',
  413: 'The file is larger than 100 MB.',
  415: 'The body is of the wrong type.',
  429: 'A rate, the number of connections at once, or the monthly quota is used up.',
  500: 'Something went wrong inside the service.',
  503: 'The service has too much work, or is being restarted.',
};

const retryHeaders = {
  'X-RateLimit-Retry-After': { type: 'integer', description: 'How long to wait, in seconds.' },
  'Retry-After': { type: 'integer', description: 'The same.' },
};

/** The response schemas of a route that can answer with these statuses. */
export function errorResponses(...statuses: (keyof typeof descriptions)[]) {
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      {
        description: descriptions[status]!,
        ...(status === 429 && { headers: retryHeaders }),
        content: { 'application/json': { schema: errorSchema } },
      },
    ]),
  );
}

/** What every route behind the gate can answer with. */
export const gateStatuses = [401, 403, 404, 429, 500, 503] as const;
