import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toClientError, toServiceError } from '../../src/errors/framework-errors.ts';
import { errorBody } from '../../src/errors/service-error.ts';

test('what is not known is an internal error with its cause kept inside', () => {
  const cause = new Error('table users is on fire');
  const error = toServiceError(cause);
  assert.deepEqual([error.code, error.cause], ['internal_error', cause]);
  assert.doesNotMatch(JSON.stringify(errorBody(error)), /fire/);
  for (const thrown of [undefined, null, 'text', { code: 'constructor' }, { code: 'toString' }])
    assert.equal(toServiceError(thrown).code, 'internal_error');
});

test('what the framework refuses is told with the codes of the catalogue', () => {
  const error = toServiceError({ code: 'FST_ERR_BAD_URL' });
  assert.deepEqual([error.status, error.wireCode], [404, 'not_found']);
  assert.equal(error.message, 'The address of the request is not well formed.');
  assert.equal(toServiceError({ code: 'FST_ERR_CTP_BODY_TOO_LARGE' }).status, 413);
});

test('bytes that are not HTTP have the status of HTTP, and one code', () => {
  const statusOf = (code: string) => {
    const { status, wireCode } = toClientError({ code });
    assert.equal(wireCode, 'invalid_value');
    return status;
  };
  assert.equal(statusOf('HPE_HEADER_OVERFLOW'), 431);
  assert.equal(statusOf('HPE_CHUNK_EXTENSIONS_OVERFLOW'), 413);
  assert.equal(statusOf('ERR_HTTP_REQUEST_TIMEOUT'), 408);
  assert.equal(statusOf('HPE_INVALID_METHOD'), 400);
  assert.equal(statusOf('constructor'), 400);
});
