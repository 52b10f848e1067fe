import { accountsMigration } from './001-accounts.ts';
import { ledgerMigration } from './002-ledger.ts';
import { consoleMigration } from './003-console.ts';
import { knownDevicesMigration } from './004-known-devices.ts';
import { keyLimitsMigration } from './005-key-limits.ts';
import { rolesAndAuditMigration } from './006-roles-and-audit.ts';
import { notesAndRetentionMigration } from './007-notes-and-retention.ts';

/**
 * Statements that both engines understand, in order. A released migration is never changed: write another after it. It may
 * only add to the tables, since the version before is still running during an upgrade (docs/cluster/upgrading.md).
 */
export const migrations: readonly (readonly string[])[] = [
  accountsMigration,
  ledgerMigration,
  consoleMigration,
  knownDevicesMigration,
  keyLimitsMigration,
  rolesAndAuditMigration,
  notesAndRetentionMigration,
];
