import type { DailyUsage, Environment, PlanId } from './account.ts';

/** What the console is told under `/console/api`, and what the commands that manage accounts print with `--json`. */

export type ConsoleSession = {
  user: { name: string };
  addresses: Record<Environment, string>;
  plans: ConsolePlan[];
};

export type ConsolePlan = {
  id: PlanId;
  /** Null is without limit. */
  quotaMinutes: number | null;
  requestsPerSecond: number;
  concurrentConnections: number;
};

export type Project = {
  id: string;
  name: string;
  accountId: string;
  plan: PlanId;
  /** Networks whose requests are let in; every one when it is empty. */
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
};

/** With the key itself, which is shown this once. */
export type NewKey = { key: string } & Key;

/** With the day on which it was last used. */
export type ListedKey = Key & { lastUsed: string | null };

export type KeyUsage = {
  project: { id: string; name: string };
  key: Pick<Key, 'id' | 'name' | 'prefix' | 'environment' | 'revokedAt'>;
  minutes: number;
  requests: number;
  /** Days on which nothing was transcribed are left out. */
  daily: DailyUsage[];
  /** Of the current month, whatever the range. */
  quota: number | null;
  remaining: number | null;
};

export type UsageReport = { from: string; to: string; keys: KeyUsage[] };

/** What the operator's page shows: numbers and codes, never what anybody said. */
export type ServiceView = {
  /** Inference processes that take work. */
  processes: number;
  /** Windows being recognised, and windows waiting for it. */
  busySlots: number;
  queued: number;
  /** Processes replaced since the start, for whatever reason. */
  restarts: number;
  rssBytes: number;
  startedAt: string;
  serviceMemoryBytes: number;
  openStreams: number;
  /** Of the last hour. */
  transcriptions: number;
  audioSeconds: number;
  /** Seconds of work for each second of audio; null when nothing was transcribed. */
  realTimeFactor: number | null;
  errors: { code: string; count: number; lastAt: string }[];
};
