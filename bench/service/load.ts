import { setTimeout as sleep } from 'node:timers/promises';
import { atMost, type Explain, type Figure, none } from '../figures/figure.ts';
import { type Answer, createClient } from './client.ts';
import { type Clip, createClips } from './clips.ts';
import { megabytes, noMoreFiles } from './footprint-figures.ts';
import { compareLedger } from './ledger-check.ts';
import { type Footprint, serve } from './served-process.ts';
import { type BenchKey, createServiceFolder } from './service-folder.ts';
import { compareUsage } from './usage-check.ts';

export type LoadOptions = {
  env: Record<string, string>;
  uploads: number;
  keys: number;
  explain: Explain;
};

const clipSeconds = 5;
/** Of every five keys one is on the smallest plan, so that some are refused; so is whatever finds no permit. */
const freeKeyEvery = 5;
const permitsPerUpload = 0.75;
const afterwardsMs = 3_000;
/** What V8 lets lie of samples that nobody needs any more before it collects them. */
const uncollectedMegabytes = 64;

/** Many uploads at the same moment: right answers or correct refusals, an exact ledger, and nothing left behind. */
export async function measureLoad({ env, uploads, keys: keyCount, explain }: LoadOptions): Promise<Figure[]> {
  const clips = await createClips(clipSeconds);
  await using folder = await createServiceFolder();
  const freeCount = Math.floor(keyCount / freeKeyEvery);
  const keys = [
    ...(await folder.createKeys(keyCount - freeCount, 'professional')),
    ...(await folder.createKeys(freeCount, 'free')),
  ];
  await using service = await serve({
    dataFolder: folder.path,
    env: { ...env, SIANN_MAX_TRANSCRIPTIONS: String(Math.round(uploads * permitsPerUpload)) },
  });

  const alone = await textsAlone(service, clips, keys[0]!);
  const answers: Answer[] = [...alone.answers];
  const wave = async (count: number) => {
    using client = createClient({ port: service.ports.live, ca: service.ca });
    const started = performance.now();
    const tasks = Array.from({ length: count }, (_, i) => ({
      clip: clips[i % clips.length]!,
      key: keys[i % keys.length]!,
    }));
    const seen = await Promise.all(tasks.map(({ clip, key }) => client.transcribe(clip.wave, key.key)));
    answers.push(...seen);
    const wrong = seen.flatMap((answer, i) => faultOf(answer, alone.texts.get(tasks[i]!.clip)!) ?? []);
    return { seen, wrong, seconds: (performance.now() - started) / 1000 };
  };

  const small = await wave(keyCount);
  const before = await settledFootprint(service);
  const large = await wave(uploads);
  const after = await settledFootprint(service);
  const again = await wave(uploads);
  const afterAgain = await settledFootprint(service);
  const wrong = [...small.wrong, ...large.wrong, ...again.wrong];
  for (const fault of wrong) explain(`load: ${fault}`);
  explain(
    `load: before ${describe(before)}, after ${describe(after)}, after another ${describe(afterAgain)}`,
  );
  explain(`load: ${large.seconds.toFixed(1)} and ${again.seconds.toFixed(1)} s`);

  const ledger = await compareLedger(folder, answers);
  const usage = await compareUsage({ service, folder, keys, answers });
  for (const difference of [...ledger, ...usage]) explain(`load: ${difference}`);
  await service.stop();

  const counts = countBy(large.seen.map(({ status }) => String(status)));
  const during = `${uploads} uploads of ${clipSeconds} s at once from ${keyCount} keys`;
  const answered = large.seen.some(({ status }) => status === 200);
  return [
    {
      id: 'load/wrong',
      what: `${during}: neither right nor a correct 429 or 503`,
      value: wrong.length,
      bar: '0, and some answered',
      met: wrong.length === 0 && answered,
      note: counts,
    },
    {
      id: 'load/ledger',
      what: `${during}: differences between ledger, usage and answers`,
      ...none(ledger.length + usage.length),
    },
    growth(
      'load/memory',
      `${during}: memory of the service, against ${keyCount} uploads`,
      before.residentBytes,
      after.residentBytes,
    ),
    {
      id: 'load/memory-again',
      what: `another ${uploads} uploads: memory of the service`,
      ...atMost(megabytes(after.residentBytes) + uncollectedMegabytes, megabytes(afterAgain.residentBytes)),
      unit: 'MB',
      note: `${megabytes(after.residentBytes)} before`,
      minor: true,
    },
    {
      ...growth(
        'load/child-memory',
        `${during}: memory of the inference processes`,
        before.childBytes,
        afterAgain.childBytes,
      ),
      minor: true,
    },
    noMoreFiles('load', during, before, afterAgain),
  ];
}

async function textsAlone(
  { ports, ca }: { ports: { live: number }; ca: string },
  clips: Clip[],
  { key }: BenchKey,
) {
  using client = createClient({ port: ports.live, ca });
  const texts = new Map<Clip, string>();
  const answers: Answer[] = [];
  for (const clip of clips) {
    const answer = await client.transcribe(clip.wave, key);
    if (answer.status !== 200) throw new Error(`${clip.name} alone: ${answer.body}`);
    answers.push(answer);
    texts.set(clip, JSON.parse(answer.body).text);
  }
  return { texts, answers };
}

/** What is wrong with an answer, if anything. */
function faultOf({ status, headers, body }: Answer, text: string): string | undefined {
  const answer = JSON.parse(body);
  if (status === 200) {
    const isRight = answer.text === text && answer.duration === clipSeconds;
    return isRight ? undefined : `"${answer.text}" instead of "${text}"`;
  }
  const { code } = answer.error;
  const isWhole = (name: string) => /^[1-9]\d*$/.test(String(headers[name]));
  const isCorrect =
    status === 503
      ? code === 'overloaded' && isWhole('retry-after')
      : status === 429 &&
        /^(rate_limit|concurrency)_exceeded$/.test(code) &&
        ['x-ratelimit-retry-after', 'retry-after', 'retry-after-ms'].every(isWhole);
  return isCorrect ? undefined : `${status} ${body} ${JSON.stringify(headers)}`;
}

async function settledFootprint(service: { footprint(): Promise<Footprint> }): Promise<Footprint> {
  await sleep(afterwardsMs);
  return service.footprint();
}

function growth(id: string, what: string, before: number, after: number): Figure {
  const judged = atMost(megabytes(before * 1.1), megabytes(after));
  return { id, what, ...judged, unit: 'MB', note: `${megabytes(before)} before; a tenth more is allowed` };
}

function describe({ residentBytes, childBytes, openFiles }: Footprint): string {
  return `${megabytes(residentBytes)} + ${megabytes(childBytes)} MB, ${openFiles} files`;
}

function countBy(names: string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => `${count} × ${name}`).join(', ');
}
