import type { Counters } from './counters.ts';

type Bucket = { tokens: number; atMs: number };
type Count = { count: number; forgetAtMs: number };
type OneTimeValue = { value: string; forgetAtMs: number };
type Options = {
  clock?: { now(): number };
  /** Buckets and counts; past it the oldest are forgotten. */
  maxNames?: number;
  /** More than for the others: a note that is forgotten too early would let a replay through. */
  maxNotes?: number;
};

/** Counters of this process alone. The maps are in the order of use, so that the oldest entries come first. */
export function createMemoryCounters(options: Options = {}): Counters {
  const { clock = Date, maxNames = 100_000, maxNotes = 1_000_000 } = options;
  const buckets = new Map<string, Bucket>();
  const permits = new Map<string, number>();
  const notes = new Map<string, number>();
  const counts = new Map<string, Count>();
  const oneTimeValues = new Map<string, OneTimeValue>();

  return {
    async takeToken(name, perSecond) {
      const now = clock.now();
      const bucket = refilled(buckets.get(name), perSecond, now);
      const taken = bucket.tokens >= 1;
      if (taken) bucket.tokens -= 1;
      keep(buckets, name, bucket, maxNames);
      return taken ? 0 : Math.max(1, Math.ceil(((1 - bucket.tokens) / perSecond) * 1000));
    },
    async takePermit(name, limit) {
      const taken = permits.get(name) ?? 0;
      if (taken >= limit) return false;
      permits.set(name, taken + 1);
      return true;
    },
    async returnPermit(name) {
      const left = (permits.get(name) ?? 0) - 1;
      if (left > 0) permits.set(name, left);
      else permits.delete(name);
    },
    async noteOnce(name, forgetAfterMs) {
      const now = clock.now();
      for (const [old, forgetAtMs] of notes) {
        if (forgetAtMs > now) break;
        notes.delete(old);
      }
      if ((notes.get(name) ?? 0) > now) return false;
      keep(notes, name, now + forgetAfterMs, maxNotes);
      return true;
    },
    async countUp(name, forgetAfterMs) {
      const now = clock.now();
      const known = counts.get(name);
      const count = known && known.forgetAtMs > now ? known.count + 1 : 1;
      keep(counts, name, { count, forgetAtMs: now + forgetAfterMs }, maxNames);
      return count;
    },
    async readCount(name) {
      const known = counts.get(name);
      return known && known.forgetAtMs > clock.now() ? known.count : 0;
    },
    async forgetCount(name) {
      counts.delete(name);
    },
    async putOneTimeValue(name, value, forgetAfterMs) {
      const now = clock.now();
      for (const [old, { forgetAtMs }] of oneTimeValues) {
        if (forgetAtMs > now) break;
        oneTimeValues.delete(old);
      }
      keep(oneTimeValues, name, { value, forgetAtMs: now + forgetAfterMs }, maxNames);
    },
    async takeOneTimeValue(name) {
      const kept = oneTimeValues.get(name);
      oneTimeValues.delete(name);
      return kept && kept.forgetAtMs > clock.now() ? kept.value : undefined;
    },
    async [Symbol.asyncDispose]() {
      for (const map of [buckets, permits, notes, counts, oneTimeValues]) map.clear();
    },
  };
}

function refilled(bucket: Bucket | undefined, perSecond: number, now: number): Bucket {
  if (!bucket) return { tokens: perSecond, atMs: now };
  // A clock that is set back gives no tokens and takes none.
  const gained = (Math.max(0, now - bucket.atMs) / 1000) * perSecond;
  bucket.tokens = Math.min(perSecond, bucket.tokens + gained);
  bucket.atMs = now;
  return bucket;
}

function keep<Value>(map: Map<string, Value>, name: string, value: Value, maxNames: number): void {
  map.delete(name);
  map.set(name, value);
  if (map.size > maxNames) map.delete(map.keys().next().value!);
}
