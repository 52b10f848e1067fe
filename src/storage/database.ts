import type { Kysely } from 'kysely';
import type { Tables } from './tables.ts';

export type Database = AsyncDisposable & {
  readonly engine: 'sqlite' | 'postgresql';
  readonly queries: Kysely<Tables>;
  /** A transaction that does not wait for the disk: a power failure may undo it, `kill -9` may not. */
  hurried<Result>(work: (transaction: Kysely<Tables>) => Promise<Result>): Promise<Result>;
  /**
   * Changes whenever anybody, in this process or another, has changed anything; what was read at a version is true as
   * long as it stays. Undefined where finding out would cost as much as reading again.
   */
  version(): number | undefined;
  /** Rejects when the database does not answer. */
  ping(): Promise<void>;
};
