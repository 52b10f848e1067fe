import { accountsMigration } from './001-accounts.ts';
import { ledgerMigration } from './002-ledger.ts';
import { consoleMigration } from './003-console.ts';

/**
 * Statements that both engines understand, in order. What has been released is never changed: add one after it, and let it
 * only add, since the version before goes on meanwhile (docs/cluster/upgrading.md).
 */
export const migrations: readonly (readonly string[])[] = [
  accountsMigration,
  ledgerMigration,
  consoleMigration,
];
