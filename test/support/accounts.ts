import { createHash, createHmac } from 'node:crypto';
import type { Credential, Gate } from '../../src/accounts/admission.ts';
import { createGate, type GateOptions } from '../../src/accounts/gate.ts';
import { createLedger } from '../../src/accounts/ledger/ledger.ts';
import { startLedgerUpkeep } from '../../src/accounts/ledger/ledger-upkeep.ts';
import { createAccounts } from '../../src/accounts/projects/accounts.ts';
import { type Plans, plans as publishedPlans } from '../../src/accounts/projects/plans.ts';
import { createUsageReport } from '../../src/accounts/usage/usage-report.ts';
import { createUsageViews } from '../../src/accounts/usage/usage-views.ts';
import { createMemoryCounters } from '../../src/storage/memory-counters.ts';
import { openDatabase } from '../../src/storage/open-database.ts';
import type { Environment } from '../../wire/account.ts';
import type { CreateDatabase } from './both-engines.ts';

export type AccountTestbed = Awaited<ReturnType<typeof createAccountTestbed>>;

export type TestClock = { now(): number; set(time: string): void; advance(milliseconds: number): void };

export function createTestClock(start = '2026-11-15T12:00:00Z'): TestClock {
  let now = Date.parse(start);
  return {
    now: () => now,
    set: (time) => {
      now = Date.parse(time);
    },
    advance: (milliseconds) => {
      now += milliseconds;
    },
  };
}

export type TestGateOptions = Pick<GateOptions, 'database' | 'log'> &
  Partial<Pick<GateOptions, 'counters' | 'plans' | 'clock'>> & { instance: string };

/** A gate with a ledger of its own that is kept up, as a service has them. */
export async function startGate(options: TestGateOptions): Promise<Gate & AsyncDisposable> {
  const { database, instance, log, clock = Date, plans = publishedPlans } = options;
  const { counters = createMemoryCounters({ clock }) } = options;
  const ledger = createLedger({ database, instance, clock });
  const upkeep = await startLedgerUpkeep({ ledger, log });
  const gate = createGate({ database, ledger, counters, plans, log, clock });
  return {
    admit: gate.admit,
    async [Symbol.asyncDispose]() {
      gate[Symbol.dispose]();
      await upkeep[Symbol.asyncDispose]();
    },
  };
}

/** Accounts and the gate over a real database, with a clock that stands still until it is moved. */
export async function createAccountTestbed(
  create: CreateDatabase,
  options: { plans?: Plans; instance?: string } = {},
) {
  const file = await create();
  const database = await openDatabase({ url: file.url });
  const clock = createTestClock();
  const logged: string[] = [];
  const log = { error: (_fields: object, message: string) => void logged.push(message) };
  const { plans = publishedPlans, instance = 'here' } = options;
  const gate = await startGate({ database, clock, log, instance, plans });
  const accounts = createAccounts({ database, clock });
  const readUsageReport = createUsageReport({ database, accounts, plans, clock });
  const views = createUsageViews({ database, clock, plans });
  const project = (await accounts.createFirst())!;
  let requests = 0;

  return {
    url: file.url,
    database,
    clock,
    gate,
    accounts,
    views,
    readUsageReport,
    project,
    logged,
    createKey: (environment: Environment = 'test') =>
      accounts.keys.create({ project: project.id, environment }),
    /** A request like any other, but for what is given. */
    credential(key: string | undefined, given: Partial<Credential> = {}): Credential {
      requests += 1;
      return {
        requestId: `request-${requests}`,
        environment: 'test',
        authorization: key && `Bearer ${key}`,
        projectId: undefined,
        address: '192.0.2.7',
        method: 'POST',
        url: '/v1/audio/transcriptions',
        signature: undefined,
        signatureTimestamp: undefined,
        ...given,
      };
    },
    async [Symbol.asyncDispose]() {
      await gate[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
      await file[Symbol.asyncDispose]();
    },
  };
}

/** The two signature headers, as the documentation tells clients to make them. */
export function sign(
  secret: string,
  request: { method: string; url: string; body?: string; timestamp: number },
): Pick<Credential, 'signature' | 'signatureTimestamp'> {
  const { method, url, body = '', timestamp } = request;
  const text = `${timestamp}\n${method}\n${url}\n${sha256(body)}`;
  const signature = `v1=${createHmac('sha256', secret).update(text).digest('hex')}`;
  return { signature, signatureTimestamp: String(timestamp) };
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
