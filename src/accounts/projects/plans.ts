import type { PlanId } from '../../../wire/account.ts';

export type Plan = {
  /** Of audio in a UTC calendar month, for each key; undefined is without limit. */
  quotaMinutes: number | undefined;
  requestsPerSecond: number;
  concurrentConnections: number;
};

export type Plans = Readonly<Record<PlanId, Plan>>;

export const plans: Plans = {
  free: { quotaMinutes: 1000, requestsPerSecond: 5, concurrentConnections: 2 },
  basic: { quotaMinutes: 10_000, requestsPerSecond: 20, concurrentConnections: 5 },
  professional: { quotaMinutes: 100_000, requestsPerSecond: 50, concurrentConnections: 20 },
  enterprise: { quotaMinutes: undefined, requestsPerSecond: 100, concurrentConnections: 50 },
};

export const planIds = Object.keys(plans) as PlanId[];

export function isPlanId(value: string): value is PlanId {
  return Object.hasOwn(plans, value);
}
