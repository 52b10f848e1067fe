import { setTimeout as sleep } from 'node:timers/promises';
import { createAccounts } from '../../src/accounts/projects/accounts.ts';
import { atMost, type Explain, type Figure } from '../figures/figure.ts';
import { openStream } from '../realtime/stream-client.ts';
import { createClient } from '../service/client.ts';
import { type Cluster, startCluster } from './cluster.ts';
import type { ClusterNode } from './cluster-node.ts';

export type RevocationOptions = {
  env: Record<string, string>;
  apis: number;
  rounds: number;
  explain: Explain;
};

const barMs = 1_000;
const lookEveryMs = 20;
const keepaliveEveryMs = 1_000;

/** A key is revoked beside the services: when each node refuses it, and when it closes the key's streams. */
export async function measureRevocation(options: RevocationOptions): Promise<Figure[]> {
  const { env, apis, rounds, explain } = options;
  await using cluster = await startCluster({ apis, workers: 1, env });
  const refused: number[] = [];
  const closed: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const [key] = await cluster.folder.createKeys(1, 'professional');
    const observations = await Promise.all(cluster.apis.map((node) => observeKey(cluster, node, key!.key)));
    // At no special moment of any node's interval.
    await sleep(500 + Math.random() * 500);
    const revokedAt = performance.now();
    await cluster.folder.withDatabase((database) => createAccounts({ database }).keys.revoke(key!.id));
    for (const { refusedAt, closedAt } of observations) {
      refused.push((await refusedAt) - revokedAt);
      closed.push((await closedAt) - revokedAt);
    }
  }
  explain(`refused after ${refused.map(Math.round).join(', ')} ms`);
  explain(`closed after ${closed.map(Math.round).join(', ')} ms`);
  const what = `a key revoked ${rounds} times, ${apis} API nodes`;
  return [
    {
      id: 'revocation/refused',
      what: `${what}: refused everywhere after at most`,
      ...atMost(barMs, Math.max(...refused)),
      unit: 'ms',
    },
    {
      id: 'revocation/closed',
      what: `${what}: its streams closed everywhere after at most`,
      ...atMost(barMs, Math.max(...closed)),
      unit: 'ms',
    },
  ];
}

type KeyObservation = { refusedAt: Promise<number>; closedAt: Promise<number> };

async function observeKey(
  { ca }: Cluster,
  { name, port }: ClusterNode,
  key: string,
): Promise<KeyObservation> {
  const stream = await openStream({ port, ca, key });
  const keepalive = setInterval(() => stream.send('{"type":"keepalive"}'), keepaliveEveryMs);
  const client = createClient({ port, ca });
  const { status } = await client.get('/v1/account', key);
  if (status !== 200) throw new Error(`${name} does not know the key: ${status}`);
  return {
    closedAt: stream.closed.then((code) => {
      clearInterval(keepalive);
      return code === 4401 ? performance.now() : Number.POSITIVE_INFINITY;
    }),
    refusedAt: untilRefused(client, key),
  };
}

/** When the first request was sent that was refused: the answer to a wrong key is held back on purpose. */
async function untilRefused(client: ReturnType<typeof createClient>, key: string): Promise<number> {
  for (;;) {
    const sentAt = performance.now();
    const { status } = await client.get('/v1/account', key);
    if (status === 401) {
      client[Symbol.dispose]();
      return sentAt;
    }
    await sleep(lookEveryMs);
  }
}
