import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../service/client.ts';
import type { StreamTarget } from './stream-client.ts';

/** How many requests and streams the service believes to be there. */
export async function openLeases(target: StreamTarget): Promise<number> {
  using client = createClient(target);
  const { body } = await client.get('/metrics', target.key);
  return Number(/^siann_leases_open (\d+)/m.exec(body)?.[1] ?? Number.NaN);
}

/** False when some are still there after that time. */
export async function leasesClosed(target: StreamTarget, withinMs = 30_000): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  while ((await openLeases(target)) > 0) {
    if (performance.now() > deadline) return false;
    await sleep(100);
  }
  return true;
}
