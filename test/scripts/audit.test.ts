import assert from 'node:assert/strict';
import { test } from 'node:test';
// @ts-expect-error: a script without types.
import { judge } from '../../scripts/audit.mjs';

const advisory = { title: 'Prototype pollution', severity: 'high' };
const found = (severity: string) =>
  JSON.stringify({ vulnerabilities: { thing: { name: 'thing', severity, via: [advisory, 'other'] } } });

test('a severe weakness fails where it is shipped, and is shown elsewhere', () => {
  assert.deepEqual(judge(found('high'), { shipped: true }), {
    status: 1,
    lines: ['high: thing: Prototype pollution; through other'],
  });
  assert.equal(judge(found('critical'), { shipped: true }).status, 1);
  assert.equal(judge(found('high'), { shipped: false }).status, 0);
  assert.equal(judge(found('moderate'), { shipped: true }).status, 0);
  assert.deepEqual(judge('{"vulnerabilities":{}}', { shipped: true }), { status: 0, lines: [] });
});

test('a registry that does not answer is not taken for one that knows nothing bad', () => {
  const refusals = {
    '{"message":"405 Method Not Allowed - POST https://somewhere/-/npm","statusCode":405}':
      '405 Method Not Allowed',
    '{"error":{"code":"ENOAUDIT","summary":"","detail":""}}': 'ENOAUDIT',
    '{}': 'no reason is given',
    '': 'npm printed nothing that can be read.',
    'npm error': 'npm printed nothing that can be read.',
  };
  for (const [output, why] of Object.entries(refusals))
    assert.deepEqual(judge(output, { shipped: true }), { status: 77, lines: [why] });
});
