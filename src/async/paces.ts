import { createPace, type Pace, type PaceOptions } from './pace.ts';

/** Those that came first are forgotten when there are so many. They are known again when they come again. */
const maxKnown = 10_000;

/** A pace for each of many. Counts one that comes, and says how long it should wait, in milliseconds. */
export function createPaces(options: PaceOptions): (of: string) => number {
  const paces = new Map<string, Pace>();
  return (of) => {
    const pace = paces.get(of) ?? createPace(options);
    paces.delete(of);
    paces.set(of, pace);
    if (paces.size > maxKnown) paces.delete(paces.keys().next().value!);
    pace.count();
    return pace.aheadMs();
  };
}
