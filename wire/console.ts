import type { DailyUsage, Environment, KeyScope, PlanId } from './account.ts';

/** The answers under `/console/api`, which the commands for accounts also print with `--json`. */

export type ConsoleSession = {
  user: { name: string };
  addresses: Record<Environment, string>;
  plans: ConsolePlan[];
};

export type ConsolePlan = {
  id: PlanId;
  /** Null means that there is no limit. */
  quotaMinutes: number | null;
  requestsPerSecond: number;
  concurrentConnections: number;
};

export type Project = {
  id: string;
  name: string;
  accountId: string;
  plan: PlanId;
  /** The networks that may send requests. When the list is empty, every network may. */
  allow: string[];
  createdAt: string;
};

export type Key = {
  id: string;
  name: string;
  project: { id: string; name: string };
  environment: Environment;
  prefix: string;
  signed: boolean;
  createdAt: string;
  regeneratedAt: string | null;
  revokedAt: string | null;
  /** Null means never. */
  expiresAt: string | null;
  /** Null means that it may do everything. */
  scopes: KeyScope[] | null;
  /** Until when the key before this one still works, if this one was rolled. */
  previousUntil: string | null;
  /** Exact to the minute; of a key that was last used by an older version, the day. Null when it was never used. */
  lastUsedAt: string | null;
  /** Made by the console for its playground, and valid as long as one session. */
  playground: boolean;
};

/** A key together with its secret text, which is shown only this once. */
export type NewKey = { key: string } & Key;

export type KeyUsage = {
  project: { id: string; name: string };
  key: Pick<Key, 'id' | 'name' | 'prefix' | 'environment' | 'revokedAt'>;
  minutes: number;
  requests: number;
  /** Days on which nothing was transcribed are left out. */
  daily: DailyUsage[];
  /** The limit and the rest of the current month, whatever range the report has. */
  quota: number | null;
  remaining: number | null;
};

export type UsageReport = { from: string; to: string; keys: KeyUsage[] };

/** The figures on the operator's page. They are numbers and codes, and never contain anything that was said. */
export type ServiceView = {
  /** Inference processes that take work. */
  processes: number;
  /** Windows that are being recognised, and windows that wait. */
  busySlots: number;
  queued: number;
  /** Processes replaced since the start, for whatever reason. */
  restarts: number;
  rssBytes: number;
  startedAt: string;
  serviceMemoryBytes: number;
  openStreams: number;
  /** Counted over the last hour, like the next two. */
  transcriptions: number;
  audioSeconds: number;
  /** Seconds of work for each second of audio. Null when nothing was transcribed. */
  realTimeFactor: number | null;
  errors: { code: string; count: number; lastAt: string }[];
};
