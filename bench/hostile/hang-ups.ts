import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom, type Random } from '../../evaluation/random.ts';
import { type Explain, type Figure, none } from '../figures/figure.ts';
import { leasesClosed } from '../realtime/open-leases.ts';
import { formOf } from '../service/client.ts';
import { clearlySpoken, createRepeatedSpeech, toWave } from '../service/clips.ts';
import { compareTotals } from '../service/ledger-check.ts';
import { serve } from '../service/served-process.ts';
import { createServiceFolder } from '../service/service-folder.ts';
import { dial, type Target } from './attack.ts';

export type HangUpOptions = { env: Record<string, string>; count: number; seed: number; explain: Explain };

type Delivered = { requestId: string | undefined; seconds: number; segments: number; isWhole: boolean };

const fileSeconds = 40;
const atOnce = 4;

/** Clients that leave in the middle of their answer: what they were sent must have been paid for. */
export async function measureHangUps({ env, count, seed, explain }: HangUpOptions): Promise<Figure[]> {
  await using folder = await createServiceFolder();
  const [key] = await folder.createKeys(1, 'enterprise');
  await using service = await serve({ dataFolder: folder.path, env });
  const target = { port: service.ports.live, ca: service.ca, key: key!.key };
  const file = await toWave(await createRepeatedSpeech(fileSeconds, clearlySpoken));
  const startedAt = performance.now();
  const whole = await hangUp(target, file, Number.POSITIVE_INFINITY);
  if (!whole.isWhole) throw new Error('The whole answer did not come.');
  const wholeMs = performance.now() - startedAt;

  const random = createRandom(seed);
  const delivered: Delivered[] = [whole];
  let begun = 0;
  const client = async () => {
    while (begun++ < count) delivered.push(await hangUp(target, file, leavingAfter(random, wholeMs)));
  };
  await Promise.all(Array.from({ length: atOnce }, client));
  await leasesClosed(target);
  await service.stop();

  const { charged, differences } = await folder.withDatabase(async ({ queries }) => {
    const entries = await queries
      .selectFrom('ledger_entries')
      .selectAll()
      .where('kind', '=', 'settle')
      .execute();
    return {
      charged: new Map(entries.map(({ request_id, milliseconds }) => [request_id, milliseconds])),
      differences: await compareTotals(queries),
    };
  });
  const chargedMs = ({ requestId }: Delivered) =>
    requestId === undefined ? 0 : (charged.get(requestId) ?? 0);
  const unpaid = delivered.filter((each) => chargedMs(each) < Math.round(each.seconds * 1000));
  for (const each of unpaid)
    explain(`${each.requestId}: ${each.seconds} s delivered, ${chargedMs(each)} ms charged`);
  for (const each of differences) explain(each);
  const early = delivered.filter(({ isWhole }) => !isWhole);
  const served = early.filter(({ segments }) => segments > 0);
  return [
    {
      id: 'hang-ups/unpaid',
      what: `${count} clients gone at a random moment: segments delivered and not charged`,
      ...none(unpaid.reduce((sum, { segments }) => sum + segments, 0)),
      note: `${early.length} left early, ${served.length} of them with segments`,
    },
    {
      id: 'hang-ups/ledger',
      what: 'clients gone: totals that are not the sum of charges',
      ...none(differences.length),
    },
  ];
}

/** From the moment when the first bytes are sent to somewhat after the last answer, with several clients at once. */
function leavingAfter(random: Random, wholeMs: number): number {
  return random.next() * wholeMs * (atOnce + 1);
}

async function hangUp(target: Target, file: Uint8Array, afterMs: number): Promise<Delivered> {
  const socket = await dial(target);
  const body = formOf(file, { stream: 'true' });
  const head = [
    'POST /v1/audio/transcriptions HTTP/1.1',
    'Host: localhost',
    `Authorization: Bearer ${target.key}`,
    'Content-Type: multipart/form-data; boundary=bench',
    `Content-Length: ${body.length}`,
    'Connection: close',
  ];
  let received = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    received += text;
  });
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  socket.write(body);
  const left = Number.isFinite(afterMs) ? [sleep(afterMs)] : [];
  await Promise.race([new Promise((resolve) => socket.once('close', resolve)), ...left]);
  socket.destroy();
  const ends = [...received.matchAll(/"type":"transcript\.text\.segment".*?"end":([\d.]+)/g)].map(([, end]) =>
    Number(end),
  );
  return {
    requestId: /^x-request-id: (\S+)/im.exec(received)?.[1],
    seconds: Math.max(0, ...ends),
    segments: ends.length,
    isWhole: received.includes('"type":"transcript.text.done"'),
  };
}
