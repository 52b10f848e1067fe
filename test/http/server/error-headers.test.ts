import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plans } from '../../../src/accounts/projects/plans.ts';
import { errorBody, ServiceError } from '../../../src/errors/service-error.ts';
import { errorHeaders } from '../../../src/http/server/error-headers.ts';
import { openRaw } from '../../support/raw-connection.ts';
import { startService } from '../../support/service.ts';

test('a body has what the contract says, and a param only where there is one', () => {
  assert.deepEqual(errorBody(new ServiceError('file_too_long')), {
    error: {
      message: 'The audio is longer than 4 hours. Cut it into shorter files.',
      type: 'invalid_request_error',
      param: 'file',
      code: 'file_too_large',
    },
  });
  assert.ok(!('param' in errorBody(new ServiceError('invalid_api_key')).error));
});

test('every 429 says when to come back, in seconds and in milliseconds', () => {
  assert.deepEqual(errorHeaders(new ServiceError('rate_limit_exceeded', { retryAfterSeconds: 0.2 })), {
    'x-ratelimit-retry-after': '1',
    'retry-after': '1',
    'retry-after-ms': '200',
  });
  assert.deepEqual(errorHeaders(new ServiceError('quota_exceeded', { retryAfterSeconds: 86_400.5 })), {
    'x-ratelimit-retry-after': '86401',
    'retry-after': '86401',
    'retry-after-ms': '86400500',
    'x-should-retry': 'false',
  });
  assert.equal(errorHeaders(new ServiceError('concurrency_exceeded'))['retry-after'], '1');
});

test('a 503 says when to come back, and one for shutting down ends the connection', () => {
  assert.deepEqual(errorHeaders(new ServiceError('overloaded')), { 'retry-after': '2' });
  assert.deepEqual(errorHeaders(new ServiceError('shutting_down')), {
    'retry-after': '5',
    connection: 'close',
  });
});

test('a key over its rate is told so in headers and body, and is let in again after that', async () => {
  await using running = await startService({
    plans: { ...plans, enterprise: { ...plans.enterprise, requestsPerSecond: 2 } },
  });
  await using connection = await openRaw(running.ports.live, running.ca);
  const request = `GET /v1/models HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${running.keys.live}\r\n\r\n`;
  connection.send(request.repeat(10));
  const answers = await connection.until(/429 [\s\S]*"type":"rate_limit_error","code":"rate_limit_exceeded"/);
  for (const name of ['x-ratelimit-retry-after', 'retry-after', 'retry-after-ms'])
    assert.match(answers, new RegExp(`\r\n${name}: [1-9]\\d*\r\n`), name);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  assert.equal((await running.fetch('/v1/models')).status, 200);
});
