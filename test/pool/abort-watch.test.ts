import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, it } from 'node:test';
import { createAbortWatch } from '../../src/pool/abort-watch.ts';

describe('an abort watch', () => {
  it('puts one listener on a signal for any number of callbacks, and none when they are gone', () => {
    const { signal } = new AbortController();
    const watch = createAbortWatch();
    const unwatch = Array.from({ length: 1_000 }, () => watch.watch(signal, () => {}));
    assert.equal(getEventListeners(signal, 'abort').length, 1);
    for (const stop of unwatch) stop();
    assert.equal(getEventListeners(signal, 'abort').length, 0);
  });

  it('calls each callback still watching once', () => {
    const controller = new AbortController();
    const watch = createAbortWatch();
    const called: string[] = [];
    const stopFirst = watch.watch(controller.signal, () => called.push('first'));
    const stopSecond = watch.watch(controller.signal, () => {
      called.push('second');
      stopSecond();
    });
    watch.watch(controller.signal, () => called.push('third'));
    stopFirst();
    controller.abort();
    assert.deepEqual(called, ['second', 'third']);
  });

  it('watches a signal again after everyone had stopped', () => {
    const controller = new AbortController();
    const watch = createAbortWatch();
    watch.watch(controller.signal, () => assert.fail('stopped'))();
    let aborted = false;
    watch.watch(controller.signal, () => {
      aborted = true;
    });
    controller.abort();
    assert.equal(aborted, true);
  });
});
