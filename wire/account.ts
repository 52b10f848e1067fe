export type Environment = 'live' | 'test';

/** What a key may be allowed to do. A key without scopes may do everything. */
export const keyScopes = ['transcribe', 'realtime', 'jobs', 'account'] as const;

export type KeyScope = (typeof keyScopes)[number];

export type PlanId = 'free' | 'basic' | 'professional' | 'enterprise';

/** Minutes have two decimals. `null` means that there is no limit. `resetDate` is an ISO 8601 time. */
export type MonthlyUsage = {
  currentMonth: number;
  quota: number | null;
  remaining: number | null;
  resetDate: string;
};

/** Days are in UTC, as YYYY-MM-DD. */
export type DailyUsage = { date: string; minutes: number; requests: number };

/** The answer of `GET /v1/account`. */
export type Account = {
  id: string;
  name: string;
  environment: Environment;
  project: { id: string; name: string };
  plan: PlanId;
  key: { id: string; prefix: string; createdAt: string };
  usage: MonthlyUsage;
  rateLimit: { requestsPerSecond: number; concurrentConnections: number };
};

/** The answer of `GET /v1/usage`. Days on which nothing was transcribed are left out. */
export type Usage = MonthlyUsage & { environment: Environment; daily: DailyUsage[] };
