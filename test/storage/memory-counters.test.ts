import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoryCounters } from '../../src/storage/memory-counters.ts';
import { countersContract } from '../contract/counters-contract.ts';

countersContract('counters in memory', (clock) => createMemoryCounters({ clock }));

test('memory stays bounded however many names come, and the newest are kept', async () => {
  const counters = createMemoryCounters({ maxNames: 10, maxNotes: 10 });
  for (let name = 0; name < 1000; name += 1) {
    await counters.countUp(`address ${name}`, 60_000);
    await counters.noteOnce(`signature ${name}`, 60_000);
    await counters.takeToken(`key ${name}`, 1);
  }
  assert.equal(await counters.countUp('address 999', 60_000), 2);
  assert.equal(await counters.countUp('address 0', 60_000), 1);
  assert.equal(await counters.noteOnce('signature 999', 60_000), false);
  assert.ok((await counters.takeToken('key 999', 1)) > 0);
});
