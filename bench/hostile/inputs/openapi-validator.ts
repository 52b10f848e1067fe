import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { OpenApiDocument, OpenApiOperation } from '../../../src/http/docs/openapi.ts';

export type SeenResponse = {
  method: string;
  /** With /v1 and the query, as it was asked for. */
  path: string;
  status: number;
  contentType: string | undefined;
  body: string;
};

export type OpenApiValidator = { assertDescribed(response: SeenResponse): void };

/** Checks responses against the document that the service gives of itself. */
export function createOpenApiValidator(document: OpenApiDocument): OpenApiValidator {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema(document, 'document');
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      method: method.toUpperCase(),
      pattern: new RegExp(`^/v1${path.replace(/\{\w+\}/g, '[^/]+')}$`),
      pointer: `/paths/${escapePointer(path)}/${method}`,
      operation,
    })),
  );

  return {
    assertDescribed({ method, path, status, contentType = '', body }) {
      const what = `${method} ${path} → ${status} ${contentType}`;
      const [name = ''] = path.split('?', 1);
      const type = contentType.split(';', 1)[0]!;
      const known = operations.find((one) => one.method === method && one.pattern.test(name));
      if (!known) {
        // Whatever is not an operation can only be refused, and refusals all look the same.
        assert.ok(status >= 400, `${what} is not described`);
        assertMatches('#/components/schemas/Error', JSON.parse(body), what);
        return;
      }
      const { content } = responseOf(known.operation, status, what);
      if (content === undefined) return assert.equal(body, '', `${what} has a body`);
      assert.ok(Object.hasOwn(content, type), `${what}: not one of ${Object.keys(content).join(', ')}`);
      const pointer = `${known.pointer}/responses/${status}/content/${escapePointer(type)}/schema`;
      if (type === 'text/event-stream') {
        const events = body.split('\n').filter((line) => line.startsWith('data: '));
        for (const line of events) assertMatches(`#${pointer}`, JSON.parse(line.slice(6)), what);
      } else {
        assertMatches(`#${pointer}`, type === 'application/json' ? JSON.parse(body) : body, what);
      }
    },
  };

  function assertMatches(pointer: string, value: unknown, what: string): void {
    const validate = ajv.getSchema(`document${pointer}`) ?? ajv.compile({ $ref: `document${pointer}` });
    assert.ok(validate(value), `${what}: ${ajv.errorsText(validate.errors)}`);
  }
}

function responseOf({ responses }: OpenApiOperation, status: number, what: string) {
  assert.ok(Object.hasOwn(responses, String(status)), `${what} is not described`);
  return responses[String(status)]!;
}

function escapePointer(text: string): string {
  return encodeURIComponent(text.replaceAll('~', '~0').replaceAll('/', '~1'));
}
