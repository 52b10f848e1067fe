import type { Kysely } from 'kysely';
import type { Tables } from './tables.ts';

export type Database = AsyncDisposable & {
  readonly engine: 'sqlite' | 'postgresql';
  readonly queries: Kysely<Tables>;
  /** A transaction that does not wait for the disk. A power failure may undo it; the death of the process does not. */
  relaxedTransaction<Result>(work: (transaction: Kysely<Tables>) => Promise<Result>): Promise<Result>;
  /**
   * A number that changes with every change of the database, by this process or another. What was read at one version is
   * true until the version changes. Undefined where finding out would cost as much as reading again.
   */
  version(): number | undefined;
  /** Rejects when the database does not answer. */
  ping(): Promise<void>;
};
