import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom } from '../../evaluation/random.ts';
import { defaultSessionLimits } from '../../src/sessions/session-limits.ts';
import { atMost, type Explain, type Figure, none } from '../figures/figure.ts';
import { serve } from '../service/served-process.ts';
import { createServiceFolder } from '../service/service-folder.ts';
import { compareCharges } from './stream-charges.ts';
import { openStream, type StreamClient, type StreamTarget } from './stream-client.ts';

export type StreamKillOptions = {
  env: Record<string, string>;
  kills: number;
  seed: number;
  explain: Explain;
};

const streamsAtOnce = 4;
/** Quicker than speech, so that a kill falls among many steps. */
const speed = 8;
const frameSeconds = 0.1;
/** On its way when the service dies, and so received by nobody. */
const onTheWaySeconds = 2;

type Sent = { client: StreamClient; seconds: number };

/** Ends the service without warning in mid-stream, and looks at what was charged once it is back. */
export async function measureStreamKills(options: StreamKillOptions): Promise<Figure[]> {
  const { env, kills, explain } = options;
  const random = createRandom(options.seed);
  await using folder = await createServiceFolder();
  const [key] = await folder.createKeys(1, 'professional');
  let service = await serve({ dataFolder: folder.path, env });
  const { ports, ca } = service;
  const target = { port: ports.live, ca, key: key!.key };
  const streams: Sent[] = [];
  for (let kill = 0; kill < kills; kill++) {
    const playing = Array.from({ length: streamsAtOnce }, () => playUntilLost(target));
    await sleep(2000 + random.below(6000));
    await service.kill();
    streams.push(...(await Promise.all(playing)));
    service = await serve({ dataFolder: folder.path, env, ports });
    explain(`kill ${kill + 1}: ${streams.length} streams lost so far`);
  }
  const charged = await folder.withDatabase(async ({ queries }) => {
    const entries = await queries
      .selectFrom('ledger_entries')
      .selectAll()
      .where('kind', '=', 'settle')
      .execute();
    return new Map(entries.map(({ request_id, milliseconds }) => [request_id, milliseconds / 1000]));
  });
  const fates = streams.map(({ client, seconds }) => ({
    name: 'killed',
    sessionId: sessionIdOf(client),
    code: 1006,
    sentSeconds: seconds,
    billedSeconds: undefined,
    fault: undefined,
  }));
  const differences = await compareCharges(folder.withDatabase, fates);
  const missing = fates.map(
    ({ sessionId, sentSeconds }) => sentSeconds - (charged.get(sessionId ?? '') ?? 0),
  );
  for (const [index, fate] of fates.entries())
    explain(`${fate.sentSeconds.toFixed(1)} s sent, ${missing[index]!.toFixed(1)} s not charged`);
  for (const difference of differences) explain(difference);
  await service.stop();
  const bound = defaultSessionLimits.billingStepSeconds + onTheWaySeconds;
  return [
    {
      id: 'kill/not-charged',
      what: `killed ${kills} times under ${streams.length} streams: most audio sent and not charged`,
      ...atMost(bound, Math.max(...missing), 1),
      unit: 's',
    },
    {
      id: 'kill/ledger',
      what: `killed ${kills} times under ${streams.length} streams: charged twice, too much, or still held`,
      ...none(differences.length + missing.filter((seconds) => seconds < 0).length),
    },
  ];
}

async function playUntilLost(target: StreamTarget): Promise<Sent> {
  const client = await openStream(target);
  const frame = new Uint8Array(frameSeconds * 32_000);
  const startedAt = performance.now();
  let isLost = false;
  client.closed.then(() => {
    isLost = true;
  });
  let seconds = 0;
  while (!isLost) {
    client.send(frame);
    seconds += frameSeconds;
    const dueMs = (seconds / speed) * 1000 - (performance.now() - startedAt);
    if (dueMs > 0) await sleep(dueMs);
    // A slower service is given time, so that what is on the way stays little.
    while (client.socket.bufferedAmount > 0 && !isLost) await sleep(5);
  }
  return { client, seconds };
}

function sessionIdOf({ events }: StreamClient): string | undefined {
  const [first] = events;
  return first?.event.type === 'session.begin' ? first.event.session_id : undefined;
}
