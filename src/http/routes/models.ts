import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { requestOptions } from '../../../wire/request-options.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { errorResponses, gateStatuses } from '../server/error-schema.ts';

export const [modelId] = requestOptions.model.values;

/** As OpenAI describes its models, since clients of its API ask for them. `created` is when this one was first released. */
const model = { id: modelId, object: 'model', created: 1_794_700_800, owned_by: 'siann' } as const;

export const modelSchema = Type.Object(
  {
    id: Type.String(),
    object: Type.Unsafe<'model'>({ type: 'string', enum: ['model'] }),
    created: Type.Integer({ description: 'Unix seconds.' }),
    owned_by: Type.String(),
  },
  { title: 'Model' },
);

const modelListSchema = Type.Object(
  { object: Type.Unsafe<'list'>({ type: 'string', enum: ['list'] }), data: Type.Array(modelSchema) },
  { title: 'ModelList' },
);

export function modelRoutes(app: FastifyInstance): void {
  app.get('/v1/models', {
    config: { admission: 'call', scope: 'any' },
    schema: {
      operationId: 'listModels',
      summary: 'The models',
      tags: ['Models'],
      response: {
        200: {
          description: 'The one model there is.',
          content: { 'application/json': { schema: modelListSchema } },
        },
        ...errorResponses(...gateStatuses),
      },
    },
    handler: async () => ({ object: 'list', data: [model] }),
  });

  app.get<{ Params: { id: string } }>('/v1/models/:id', {
    config: { admission: 'call', scope: 'any' },
    schema: {
      operationId: 'getModel',
      summary: 'One model',
      tags: ['Models'],
      params: Type.Object({ id: Type.String({ examples: [modelId] }) }),
      response: {
        200: { description: 'The model.', content: { 'application/json': { schema: modelSchema } } },
        ...errorResponses(...gateStatuses),
      },
    },
    handler: async (request) => {
      if (request.params.id !== modelId) throw new ServiceError('model_not_found');
      return model;
    },
  });
}
