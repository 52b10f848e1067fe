import { setTimeout as sleep } from 'node:timers/promises';
import { toLinear16 } from '../../src/audio/samples/linear16.ts';
import { textOf } from '../chaos/live-request.ts';
import { atMost, type Explain, type Figure, none } from '../figures/figure.ts';
import { quantile } from '../realtime/caption-figures.ts';
import { openStream, type StreamTarget, sessionEnd } from '../realtime/stream-client.ts';
import { type Answer, createClient } from '../service/client.ts';
import { clearlySpoken, createClips, createRepeatedSpeech } from '../service/clips.ts';
import { type Cluster, startCluster } from './cluster.ts';

export type OutageOptions = { env: Record<string, string>; awaySeconds: number; explain: Explain };

const beforeSeconds = 5;
const afterSeconds = 10;
const askEveryMs = 500;
const answerBarMs = 3_000;
const backWithinSeconds = 5;
const frameMs = 100;

type Asked = { atSeconds: number; tookMs: number; answer: Answer | Error };
type Stream = {
  code: number;
  text: string;
  sentSeconds: number;
  audioSeconds: number;
  billedSeconds: number;
};

/** Redis, then PostgreSQL, is away for a while: what requests are told, and what becomes of a stream that goes on. */
export async function measureOutages({ env, awaySeconds, explain }: OutageOptions): Promise<Figure[]> {
  await using cluster = await startCluster({ apis: 1, workers: 1, env });
  const [key] = await cluster.folder.createKeys(1, 'professional');
  const target = { port: cluster.apis[0]!.port, ca: cluster.ca, key: key!.key };
  const seconds = beforeSeconds + awaySeconds + afterSeconds;
  const speech = toLinear16(await createRepeatedSpeech(seconds, clearlySpoken));
  const calm = await speak(target, speech);
  explain(`in calm: ${JSON.stringify(calm)}`);
  const figures: Figure[] = [];
  for (const name of ['redis', 'postgres'] as const) {
    const speaking = speak(target, speech);
    await sleep(beforeSeconds * 1000);
    const asked = await askThroughOutage(cluster, target, name, awaySeconds);
    const stream = await speaking;
    explain(`${name} away: ${JSON.stringify(stream)}`);
    for (const { atSeconds, tookMs, answer } of asked)
      explain(`  ${atSeconds.toFixed(1)} s: ${told(answer)} after ${Math.round(tookMs)} ms`);
    figures.push(...figuresOf(name, { asked, stream, calm, awaySeconds }));
  }
  return figures;
}

async function askThroughOutage(
  cluster: Cluster,
  target: StreamTarget,
  name: 'redis' | 'postgres',
  awaySeconds: number,
): Promise<Asked[]> {
  const [clip] = await createClips(2);
  using client = createClient(target);
  await cluster[name].kill();
  const startedAt = performance.now();
  const elapsed = () => (performance.now() - startedAt) / 1000;
  const asked: Asked[] = [];
  const under: Promise<void>[] = [];
  let back: Promise<void> | undefined;
  const ask = async (send: () => Promise<Answer>) => {
    const atSeconds = elapsed();
    const answer = await send().catch((error: Error) => error);
    asked.push({ atSeconds, tookMs: (elapsed() - atSeconds) * 1000, answer });
  };
  for (let request = 0; elapsed() < awaySeconds + backWithinSeconds + 1; request++) {
    if (elapsed() >= awaySeconds) back ??= cluster[name].start();
    const send = () =>
      request % 2 === 0 ? client.get('/v1/account', target.key) : client.transcribe(clip!.wave, target.key);
    under.push(ask(send));
    await sleep(askEveryMs);
  }
  await Promise.all([back, ...under]);
  return asked.sort((one, other) => one.atSeconds - other.atSeconds);
}

/** Says it at the pace of speech. */
async function speak(target: StreamTarget, speech: Uint8Array): Promise<Stream> {
  const client = await openStream(target);
  const frameBytes = 32 * frameMs;
  const startedAt = performance.now();
  let sent = 0;
  let isOpen = true;
  client.closed.then(() => {
    isOpen = false;
  });
  for (; sent < speech.length && isOpen; sent += frameBytes) {
    const dueMs = sent / 32 - (performance.now() - startedAt);
    if (dueMs > 0) await sleep(dueMs);
    client.send(speech.subarray(sent, sent + frameBytes));
  }
  client.send('{"type":"close"}');
  const code = await client.closed;
  const end = sessionEnd(client);
  return {
    code,
    text: textOf(client),
    sentSeconds: Math.min(sent, speech.length) / 32_000,
    audioSeconds: end?.audio_seconds ?? 0,
    billedSeconds: end?.billed_seconds ?? 0,
  };
}

type Seen = { asked: Asked[]; stream: Stream; calm: Stream; awaySeconds: number };

function figuresOf(name: 'redis' | 'postgres', { asked, stream, calm, awaySeconds }: Seen): Figure[] {
  const during = asked.filter(({ atSeconds, tookMs }) => atSeconds + tookMs / 1000 < awaySeconds);
  const wrong = during.filter(({ answer }) => !isRightRefusal(answer));
  const times = during.map(({ tookMs }) => tookMs);
  const after = asked.filter(({ atSeconds }) => atSeconds > awaySeconds + backWithinSeconds);
  const what = `${name === 'redis' ? 'Redis' : 'PostgreSQL'} away for ${awaySeconds} s`;
  const lost = stream.sentSeconds - stream.audioSeconds;
  const unbilled = stream.audioSeconds - stream.billedSeconds;
  return [
    {
      id: `outage/${name}/refused`,
      what: `${what}: requests not answered with 503 and Retry-After`,
      ...none(wrong.length),
      note: `of ${during.length}`,
    },
    {
      id: `outage/${name}/slowest`,
      what: `${what}: slowest refusal`,
      ...atMost(answerBarMs, Math.max(...times)),
      unit: 'ms',
      note: `p50 ${Math.round(quantile(times, 0.5))} ms`,
      minor: true,
    },
    {
      id: `outage/${name}/back`,
      what: `${what}: requests not answered ${backWithinSeconds} s after it is back`,
      value: after.filter(({ answer }) => !isAnswered(answer)).length,
      bar: '0, and some asked',
      met: after.length > 0 && after.every(({ answer }) => isAnswered(answer)),
      note: `of ${after.length}`,
      minor: true,
    },
    {
      id: `outage/${name}/stream`,
      what: `${what}: audio of a live stream that was lost or not billed`,
      value: lost + unbilled,
      bar: '0, closed with 1000',
      met: stream.code === 1000 && lost === 0 && unbilled === 0,
      unit: 's',
      note: `of ${stream.sentSeconds} s, closed with ${stream.code}`,
    },
    {
      id: `outage/${name}/words`,
      what: `${what}: words of the live stream`,
      value: stream.text === calm.text ? 'as in calm' : 'not as in calm',
      bar: 'as in calm',
      met: stream.text === calm.text,
      minor: true,
    },
  ];
}

function isRightRefusal(answer: Answer | Error): boolean {
  return !(answer instanceof Error) && answer.status === 503 && Number(answer.headers['retry-after']) > 0;
}

function isAnswered(answer: Answer | Error): boolean {
  return !(answer instanceof Error) && answer.status === 200;
}

function told(answer: Answer | Error): string {
  return answer instanceof Error ? answer.message : `${answer.status} ${answer.headers['retry-after'] ?? ''}`;
}
