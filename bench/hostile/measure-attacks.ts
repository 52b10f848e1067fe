import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { atMost, type Explain, type Figure, none, rounded } from '../figures/figure.ts';
import { createClient } from '../service/client.ts';
import { type ServedProcess, serve } from '../service/served-process.ts';
import { createServiceFolder } from '../service/service-folder.ts';
import { formatTable } from '../table.ts';
import type { Target } from './attack.ts';
import { createQuietTenant, type Experience, type QuietTenant } from './quiet-tenant.ts';

export type AttackOptions = { env: Record<string, string>; titles: string[]; explain: Explain };

type Observed = Experience & {
  title: string;
  /** The longest time for which the serving thread did nothing else. */
  blockMs: number;
  grownBytes: number;
  leftBytes: number;
  held: number;
};

const accountBarMs = 60;
const clipBar = 1.5;
const blockBarMs = 50;
const memoryBarBytes = 150e6;
/** What V8 lets lie before it collects it. */
const uncollectedBytes = 64e6;
const backWithinMs = 60_000;
/** How long an attacker may go on after it was told to end: connections that it never finishes are counted 20 s after they were opened. */
const attackerEndsMs = 60_000;
/** Node.js looks at the event loop this often, and counts that time as delay. */
const resolutionMs = 10;
const attacker = fileURLToPath(new URL('./attacker-process.ts', import.meta.url));

/** Every attack beside somebody who does their work, one after another, then all at once. */
export async function measureAttacks({ env, titles, explain }: AttackOptions): Promise<Figure[]> {
  await using folder = await createServiceFolder();
  const [quiet] = await folder.createKeys(1, 'enterprise');
  const [hostile] = await folder.createKeys(1, 'professional');
  await using service = await serve({ dataFolder: folder.path, env });
  const target = { port: service.ports.live, ca: service.ca };
  using tenant = await createQuietTenant({ ...target, key: quiet!.key });
  const look = { service, tenant, own: { ...target, key: quiet!.key } };

  await tenant.work();
  const alone = await observe('alone', look, undefined);
  explain(describe(alone, alone));
  const seen: Observed[] = [];
  const rounds = [...titles.map((title) => [title]), ...(titles.length > 1 ? [titles] : [])];
  for (const each of rounds) {
    const title = each.length === 1 ? each[0]! : 'all at once';
    console.error(`  ${title} …`);
    const attack = { titles: each, target: { ...target, key: hostile!.key } };
    const observed = await observe(title, look, attack);
    explain(describe(observed, alone));
    seen.push(observed);
    if (!service.isRunning()) break;
  }
  console.log(attackTable(alone, seen));
  const ended = !service.isRunning();
  const failures = service.log().filter(({ level }) => Number(level) >= 50);
  for (const line of failures.slice(0, 10)) explain(JSON.stringify(line));
  await service.stop();
  return figures(alone, seen, failures.length + Number(ended));
}

type Look = { service: ServedProcess; tenant: QuietTenant; own: Target };

async function observe(
  title: string,
  { service, tenant, own }: Look,
  attack: { titles: string[]; target: Target } | undefined,
): Promise<Observed> {
  using client = createClient(own);
  const before = (await service.footprint()).residentBytes;
  let peak = before;
  const sampling = setInterval(async () => {
    // A service that has ended has none, and is noticed by its tenant.
    const footprint = await service.footprint().catch(() => undefined);
    peak = Math.max(peak, footprint?.residentBytes ?? 0);
  }, 100);
  await longestBlock(client, own);
  const attacking = attack && beginAttack(attack);
  await attacking?.began;
  const experience = await tenant.work();
  const held = (await attacking?.end()) ?? 0;
  const blockMs = await longestBlock(client, own);
  clearInterval(sampling);
  const leftBytes = await settle(service, before + uncollectedBytes);
  return { title, ...experience, blockMs, grownBytes: peak - before, leftBytes: leftBytes - before, held };
}

function beginAttack(attack: { titles: string[]; target: Target }) {
  const child = fork(attacker, [JSON.stringify(attack)], { execArgv: ['--import', 'tsx'] });
  const exited = once(child, 'exit');
  let held = 0;
  const began = new Promise<void>((resolve, reject) => {
    child.on('message', (message: { began?: boolean; held?: number; failure?: string }) => {
      if (message.began) resolve();
      if (message.failure) reject(new Error(`The attacker failed: ${message.failure}`));
      held = message.held ?? held;
    });
    child.on('exit', () => reject(new Error('The attacker ended before it began.')));
  });
  return {
    began,
    async end(): Promise<number> {
      if (child.connected) child.send('end');
      const stubborn = setTimeout(() => child.kill('SIGKILL'), attackerEndsMs);
      const [, signal] = await exited;
      clearTimeout(stubborn);
      if (signal) throw new Error('The attacker did not end.');
      return held;
    },
  };
}

/** Since it was asked last, in milliseconds: the service measures it itself and begins anew when it has told. */
async function longestBlock(client: ReturnType<typeof createClient>, { key }: Target): Promise<number> {
  const { body } = await client.get('/metrics', key);
  const seconds = Number(/^nodejs_eventloop_lag_max_seconds (\S+)/m.exec(body)?.[1] ?? Number.NaN);
  return Math.max(0, seconds * 1000 - resolutionMs);
}

/** What it holds when it has come down, or when it had its time. */
async function settle(service: ServedProcess, goalBytes: number): Promise<number> {
  const deadline = performance.now() + backWithinMs;
  for (;;) {
    const { residentBytes } = await service.footprint();
    if (residentBytes <= goalBytes || performance.now() > deadline) return residentBytes;
    await sleep(500);
  }
}

function lostFinals({ finals }: Observed, alone: Observed): number {
  const [said, expected] = [finals.join(' '), alone.finals.join(' ')];
  return said === expected ? 0 : Math.max(1, alone.finals.length - finals.length);
}

function figures(alone: Observed, seen: Observed[], failures: number): Figure[] {
  const worst = (measure: (each: Observed) => number) =>
    seen.reduce((worst, each) => (measure(each) > measure(worst) ? each : worst));
  const during = `${seen.length} attacks`;
  const slowestAccount = worst(({ accountP99Ms }) => accountP99Ms);
  const slowestClip = worst(({ clipMs }) => clipMs);
  const longestBlocked = worst(({ blockMs }) => blockMs);
  const grown = worst(({ grownBytes }) => grownBytes);
  const left = worst(({ leftBytes }) => leftBytes);
  const sum = (count: (each: Observed) => number) => seen.reduce((all, each) => all + count(each), 0);
  return [
    {
      id: 'attacks/account',
      what: `${during}: another tenant’s account answers, p99 of the worst`,
      ...atMost(accountBarMs, slowestAccount.accountP99Ms),
      unit: 'ms',
      note: `${slowestAccount.title}; ${Math.round(alone.accountP99Ms)} alone`,
    },
    {
      id: 'attacks/clip',
      what: `${during}: its 3 s clips, median of the worst against alone`,
      ...atMost(clipBar, slowestClip.clipMs / alone.clipMs, 2),
      note: `${slowestClip.title}; ${Math.round(alone.clipMs)} ms alone`,
    },
    {
      id: 'attacks/finals',
      what: `${during}: finals of its stream lost or changed`,
      ...none(sum((each) => lostFinals(each, alone))),
    },
    {
      id: 'attacks/faults',
      what: `${during}: its requests not answered with 200`,
      ...none(sum(({ faults }) => faults.length)),
    },
    {
      id: 'attacks/block',
      what: `${during}: longest block of the serving thread`,
      ...atMost(blockBarMs, longestBlocked.blockMs),
      unit: 'ms',
      note: `${longestBlocked.title}; ${Math.round(alone.blockMs)} alone`,
    },
    {
      id: 'attacks/memory',
      what: `${during}: memory of the API process, most`,
      ...atMost(memoryBarBytes / 1e6, grown.grownBytes / 1e6),
      unit: 'MB more',
      note: grown.title,
    },
    {
      id: 'attacks/memory-after',
      what: `${during}: memory of the API process a minute later`,
      ...atMost(uncollectedBytes / 1e6, left.leftBytes / 1e6),
      unit: 'MB more',
      note: left.title,
    },
    {
      id: 'attacks/held',
      what: 'connections that are never finished, held after 20 s',
      ...none(sum(({ held }) => held)),
    },
    { id: 'attacks/failures', what: `${during}: failures that the service logged`, ...none(failures) },
  ];
}

function attackTable(alone: Observed, seen: Observed[]): string {
  const rows = [alone, ...seen].map((each) => [
    each.title,
    String(Math.round(each.accountP99Ms)),
    String(rounded(each.clipMs / alone.clipMs, 2)),
    String(lostFinals(each, alone)),
    String(Math.round(each.blockMs)),
    String(Math.round(each.grownBytes / 1e6)),
    String(Math.round(each.leftBytes / 1e6)),
    String(each.held),
    String(each.faults.length),
  ]);
  const heads = [
    '',
    'account p99, ms',
    'clip ×',
    'finals lost',
    'block, ms',
    'MB more',
    'MB after',
    'held',
    'faults',
  ];
  return formatTable(heads, rows);
}

function describe({ title, accountAnswers, clips, finals, faults }: Observed, alone: Observed): string {
  const kinds = new Map<string, number>();
  for (const fault of faults) kinds.set(fault.slice(0, 160), (kinds.get(fault.slice(0, 160)) ?? 0) + 1);
  const said = finals.join(' ') === alone.finals.join(' ') ? '' : `, finals ${JSON.stringify(finals)}`;
  const wrong = [...kinds].map(([fault, count]) => `\n    ${count} × ${fault}`).join('');
  return `  ${title}: ${accountAnswers} account answers, ${clips} clips${said}${wrong}`;
}
