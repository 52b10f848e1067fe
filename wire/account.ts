export type Environment = 'live' | 'test';

export type PlanId = 'free' | 'basic' | 'professional' | 'enterprise';

/** Minutes are rounded to two decimals; null is without limit; the reset is an ISO 8601 instant. */
export type MonthlyUsage = {
  currentMonth: number;
  quota: number | null;
  remaining: number | null;
  resetDate: string;
};

/** Days are UTC, as YYYY-MM-DD. */
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
