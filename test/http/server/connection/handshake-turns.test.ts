import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createNetworkList } from '../../../../src/addresses/networks.ts';
import { createHandshakeTurns } from '../../../../src/http/server/connection/handshake-turns.ts';

function begunBy(address: string, count: number, shakeHands: (socket: Socket) => void): void {
  for (let i = 0; i < count; i++) shakeHands({ remoteAddress: address, destroyed: false } as Socket);
}

test('one sender’s handshakes are begun at a pace, and nobody else waits for them', async () => {
  const begun = new Map<string, number>();
  const shakeHands = createHandshakeTurns(
    ({ remoteAddress }) => begun.set(remoteAddress!, (begun.get(remoteAddress!) ?? 0) + 1),
    createNetworkList(['10.0.0.0/8']),
  );
  begunBy('192.0.2.1', 1_000, shakeHands);
  begunBy('192.0.2.2', 100, shakeHands);
  begunBy('10.1.2.3', 1_000, shakeHands);
  const deadline = performance.now() + 10_000;
  while ((begun.get('10.1.2.3') ?? 0) < 1_000 && performance.now() < deadline) await sleep(5);
  assert.equal(begun.get('192.0.2.2'), 100);
  const early = begun.get('192.0.2.1')!;
  assert.ok(early >= 100 && early < 900, `${early} were begun`);
  while (begun.get('192.0.2.1') === early && performance.now() < deadline) await sleep(5);
  assert.ok(begun.get('192.0.2.1')! > early, 'the others never came');
});

test('a connection that has gone meanwhile has no handshake', async () => {
  let begun = 0;
  const shakeHands = createHandshakeTurns(() => begun++);
  shakeHands({ remoteAddress: '192.0.2.1', destroyed: true } as Socket);
  await sleep(20);
  assert.equal(begun, 0);
});

test('senders take turns, so that one connection does not wait behind all those of another', async () => {
  const begun: string[] = [];
  const shakeHands = createHandshakeTurns(({ remoteAddress }) => begun.push(remoteAddress!));
  begunBy('192.0.2.1', 90, shakeHands);
  begunBy('192.0.2.2', 90, shakeHands);
  begunBy('192.0.2.3', 1, shakeHands);
  const deadline = performance.now() + 5_000;
  while (begun.length < 181 && performance.now() < deadline) await sleep(5);
  assert.equal(begun.length, 181);
  assert.equal(begun.indexOf('192.0.2.3'), 2);
});
