import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createFairQueue } from '../../../src/pool/queue/fair-queue.ts';

type Item = { requestId: string; priority: 'interactive' | 'file'; number: number };

describe('a fair queue', () => {
  it('serves a new request after at most one job of a request with 500 waiting', () => {
    const queue = createFairQueue<Item>();
    for (let number = 0; number < 500; number++) queue.push(item('long', number));
    queue.takeNext('file');
    queue.push(item('short', 0));
    const next = [queue.takeNext('file'), queue.takeNext('file')].map((taken) => taken?.requestId);
    assert(next.includes('short'));
  });

  it('keeps an old request moving while new ones go on arriving', () => {
    const queue = createFairQueue<Item>();
    for (let number = 0; number < 5; number++) queue.push(item('old', number));
    const served: string[] = [];
    for (let round = 0; served.filter((id) => id === 'old').length < 5; round++) {
      assert(round < 20, 'the old request starves');
      queue.push(item(`new ${round}`, 0));
      served.push(queue.takeNext('file')?.requestId ?? '');
    }
  });

  it('hands back jobs put back after a death, in order and apart from those that never ran', () => {
    const queue = createFairQueue<Item>();
    queue.push(item('a', 1));
    queue.putBack(item('b', 2));
    queue.putBack(item('b', 3));
    assert.equal(queue.size(), 3);
    assert.equal(queue.takeReturned('file')?.number, 2);
    assert.equal(queue.takeReturned('file')?.number, 3);
    assert.equal(queue.takeReturned('file'), undefined);
    assert.equal(queue.takeNext('file')?.number, 1);
  });

  it('gives every job once and counts right, whatever is pushed, taken and removed', () => {
    const step = fc.record({
      act: fc.constantFrom('push', 'push', 'putBack', 'takeNext', 'takeReturned', 'remove'),
      requestId: fc.constantFrom('a', 'b', 'c'),
      priority: fc.constantFrom('interactive' as const, 'file' as const),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const queue = createFairQueue<Item>();
        const waiting = new Set<Item>();
        for (const [number, { act, requestId, priority }] of steps.entries()) {
          if (act === 'push' || act === 'putBack') {
            const added = { requestId, priority, number };
            queue[act](added);
            waiting.add(added);
          } else if (act === 'remove') {
            const [removed] = waiting;
            if (!removed) continue;
            assert.equal(queue.remove(removed), true);
            assert.equal(queue.remove(removed), false);
            waiting.delete(removed);
          } else {
            const taken = queue[act](priority);
            if (taken) assert.equal(waiting.delete(taken) && taken.priority, priority);
          }
          assert.equal(queue.size(), waiting.size);
        }
        assert.deepEqual(new Set(queue.removeAll()), waiting);
        assert.equal(queue.size(), 0);
      }),
      { seed: 7, numRuns: 300 },
    );
  });
});

function item(requestId: string, number: number): Item {
  return { requestId, priority: 'file', number };
}
