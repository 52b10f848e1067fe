import type { DailyUsage, Environment, KeyScope, PlanId } from './account.ts';

/** The answers under `/console/api`, which the commands for accounts also print with `--json`. */

/** Each may do what those before it may. */
export const consoleRoles = ['viewer', 'operator', 'owner'] as const;

export type ConsoleRole = (typeof consoleRoles)[number];

/** What the page offers to those who are not signed in. */
export type SignInOptions = { singleSignOn: boolean };

export type ConsoleSession = {
  user: { id: string; name: string; role: ConsoleRole; hasPassword: boolean };
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

/** Somebody who may use the console. */
export type ConsoleUser = {
  id: string;
  name: string;
  role: ConsoleRole;
  /** False for somebody who can only sign in with the identity provider. */
  hasPassword: boolean;
  createdAt: string;
};

export const auditActions = [
  'project.create',
  'project.rename',
  'project.plan',
  'project.allow',
  'project.delete',
  'key.create',
  'key.rename',
  'key.regenerate',
  'key.roll',
  'key.revoke',
  'key.sign',
  'key.unsign',
  'user.link',
  'user.create',
  'user.password',
  'user.role',
  'user.remove',
  'user.sign_in',
  'user.sign_out_everywhere',
] as const;

export type AuditAction = (typeof auditActions)[number];

export type AuditEntry = {
  id: string;
  /** An ISO 8601 time. */
  at: string;
  source: 'console' | 'command line' | 'service';
  actor: string;
  /** Of the browser, or the name of the machine on which the command was run. */
  address: string | null;
  action: AuditAction;
  target: { id: string | null; name: string | null };
  details: Record<string, string> | null;
};

/** The newest entries first. `next` is to be sent as `before` for the entries that follow; null at the end. */
export type AuditPage = { entries: AuditEntry[]; next: string | null };
