// An attacker in a process of its own: what it costs to attack is not the service's, nor the quiet tenant's.
import { setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Target } from './attack.ts';
import { attacks } from './attacks.ts';

const { titles, target } = JSON.parse(process.argv[2]!) as { titles: string[]; target: Target };
// It has another machine in truth: here it gets what the service leaves.
setPriority(19);
const until = new AbortController();
process.on('disconnect', () => process.exit());
process.on('message', () => until.abort());
process.on('uncaughtException', (error) => {
  process.send!({ failure: error.message });
  process.exit(1);
});
process.send!({ began: true });
const held = await Promise.all(
  attacks.filter(({ title }) => titles.includes(title)).map(({ run }) => run(target, until.signal)),
);
process.send!({ held: held.reduce<number>((sum, count) => sum + (count ?? 0), 0) });
await sleep(100);
process.exit();
