import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deserialize, serialize } from 'node:v8';
import { ServiceError } from '../../../src/errors/service-error.ts';
import { packError, unpackError } from '../../../src/pool/process/carried-error.ts';

describe('an error carried between processes', () => {
  it('keeps its name, message, stack and causes', () => {
    const error = carry(new RangeError('too long', { cause: new TypeError('not a number') }));
    assert.equal(error.name, 'RangeError');
    assert.equal(error.message, 'too long');
    assert.match(error.stack ?? '', /carried-error\.test/);
    assert.equal((error.cause as Error).name, 'TypeError');
  });

  it('stays a ServiceError with its code, field and retryability', () => {
    const error = carry(new ServiceError('overloaded', { param: 'file', retryAfterSeconds: 7 }));
    assert(error instanceof ServiceError);
    assert.deepEqual(
      [error.code, error.param, error.status, error.retryable, error.retryAfterSeconds],
      ['overloaded', 'file', 503, true, 7],
    );
  });

  it('is made of whatever was thrown, even a circle of causes', () => {
    assert.equal(carry('just text').message, 'just text');
    const circular = new Error('round');
    circular.cause = circular;
    assert.equal(carry(circular).message, 'round');
  });
});

function carry(thrown: unknown): Error {
  return unpackError(deserialize(serialize(packError(thrown))));
}
