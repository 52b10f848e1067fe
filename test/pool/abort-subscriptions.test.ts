import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, it } from 'node:test';
import { createAbortSubscriptions } from '../../src/pool/abort-subscriptions.ts';

describe('abort subscriptions', () => {
  it('put one listener on a signal for any number of callbacks, and none when they are gone', () => {
    const { signal } = new AbortController();
    const aborts = createAbortSubscriptions();
    const unsubscribe = Array.from({ length: 1_000 }, () => aborts.subscribe(signal, () => {}));
    assert.equal(getEventListeners(signal, 'abort').length, 1);
    for (const end of unsubscribe) end();
    assert.equal(getEventListeners(signal, 'abort').length, 0);
  });

  it('call each callback that is still subscribed once', () => {
    const controller = new AbortController();
    const aborts = createAbortSubscriptions();
    const called: string[] = [];
    const unsubscribeFirst = aborts.subscribe(controller.signal, () => called.push('first'));
    const unsubscribeSecond = aborts.subscribe(controller.signal, () => {
      called.push('second');
      unsubscribeSecond();
    });
    aborts.subscribe(controller.signal, () => called.push('third'));
    unsubscribeFirst();
    controller.abort();
    assert.deepEqual(called, ['second', 'third']);
  });

  it('take a signal again after everyone had unsubscribed', () => {
    const controller = new AbortController();
    const aborts = createAbortSubscriptions();
    aborts.subscribe(controller.signal, () => assert.fail('unsubscribed'))();
    let aborted = false;
    aborts.subscribe(controller.signal, () => {
      aborted = true;
    });
    controller.abort();
    assert.equal(aborted, true);
  });
});
