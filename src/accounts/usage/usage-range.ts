import { ServiceError } from '../../errors/service-error.ts';
import { daysBetween, isDay } from '../ledger/calendar.ts';

/** Days as YYYY-MM-DD, both included. */
export type UsageRange = { from?: string | undefined; to?: string | undefined };

const maxDays = 366;

/** From the beginning of the month of `to` up to today, unless told otherwise. */
export function wholeRange(range: UsageRange, today: string): { from: string; to: string } {
  for (const param of ['from', 'to'] as const) {
    if (range[param] !== undefined && !isDay(range[param]))
      throw new ServiceError('invalid_value', {
        param,
        message: `${param} must be a day such as 2026-11-15.`,
      });
  }
  const to = range.to ?? (range.from !== undefined && range.from > today ? range.from : today);
  const from = range.from ?? `${to.slice(0, 7)}-01`;
  const days = daysBetween(from, to) + 1;
  if (days < 1)
    throw new ServiceError('invalid_value', { param: 'from', message: 'from must not be after to.' });
  if (days > maxDays)
    throw new ServiceError('invalid_value', {
      param: 'from',
      message: `from and to must be at most ${maxDays} days apart. Ask for one year at a time.`,
    });
  return { from, to };
}
