import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lookUpLinesWhenWritten, withSourceLines } from '../../src/operations/source-lines.ts';

const fail = () => new Error('a failure').stack!;

test('a stack is looked up when it is written, to the same lines as before', () => {
  const [before, asRun] = [fail, fail].map((each, round) => {
    if (round === 1) lookUpLinesWhenWritten();
    return each();
  }) as [string, string];
  assert.match(before, /source-lines\.test\.ts:5:20/);
  assert.doesNotMatch(asRun, /source-lines\.test\.ts:5:20/);
  assert.equal(withSourceLines(asRun).split('\n')[1], before.split('\n')[1]);
  assert.equal(withSourceLines(before), before);
  assert.equal(withSourceLines(withSourceLines(asRun)), withSourceLines(asRun));
});
