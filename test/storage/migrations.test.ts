import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { migrations } from '../../src/storage/migrations/all.ts';

/** The first three made the tables that everything since adds to. */
const foundations = 3;

test('migrations that have been released are as they were', () => {
  const digest = createHash('sha256')
    .update(JSON.stringify(migrations.slice(0, foundations)))
    .digest('hex');
  assert.equal(digest, '30cfabb2686e550bcbf8a091fc51229cf0763f02f4ff3f71def4a962e831d59d');
});

test('migrations only add, so that the version before goes on while they are made', () => {
  for (const statement of migrations.slice(foundations).flat()) assert.equal(harm(statement), undefined);
});

test('what would stop the version before is recognised', () => {
  const harmful = [
    'DROP TABLE accounts',
    'ALTER TABLE accounts DROP COLUMN name',
    'ALTER TABLE accounts RENAME COLUMN name TO title',
    'ALTER TABLE accounts RENAME TO customers',
    'ALTER TABLE accounts ADD COLUMN colour TEXT NOT NULL',
    'ALTER TABLE accounts ADD COLUMN colour TEXT UNIQUE',
    'ALTER TABLE accounts ALTER COLUMN name TYPE INTEGER',
    'CREATE UNIQUE INDEX accounts_by_day ON accounts (created_at)',
    "UPDATE accounts SET name = 'x'",
    'DELETE FROM accounts',
  ];
  for (const statement of harmful) assert.ok(harm(statement), statement);
  const harmless = [
    'CREATE TABLE moods (id TEXT PRIMARY KEY, name TEXT NOT NULL)',
    'CREATE INDEX accounts_by_day ON accounts (created_at)',
    'ALTER TABLE accounts ADD COLUMN colour TEXT',
    "ALTER TABLE accounts ADD COLUMN colour TEXT NOT NULL DEFAULT 'red'",
  ];
  for (const statement of harmless) assert.equal(harm(statement), undefined, statement);
});

/** Why the version before could not go on, if so: it knows nothing of new tables and columns, and leaves them out. */
function harm(statement: string): string | undefined {
  const text = statement.trim().replace(/\s+/g, ' ');
  if (/^CREATE (TABLE|INDEX) /i.test(text)) return undefined;
  if (!/^ALTER TABLE \w+ ADD COLUMN /i.test(text)) return `does more than add: ${text}`;
  if (/\b(UNIQUE|PRIMARY KEY|CHECK)\b/i.test(text)) return `refuses rows: ${text}`;
  if (/\bNOT NULL\b/i.test(text) && !/\bDEFAULT\b/i.test(text)) return `needs a value: ${text}`;
  return undefined;
}
