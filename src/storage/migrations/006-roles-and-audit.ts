export const rolesAndAuditMigration = [
  // Whoever could do everything before goes on doing so.
  "ALTER TABLE console_users ADD COLUMN role TEXT NOT NULL DEFAULT 'owner'",
  'ALTER TABLE console_users ADD COLUMN provider_subject TEXT',
  "ALTER TABLE sign_in_links ADD COLUMN role TEXT NOT NULL DEFAULT 'owner'",
  'ALTER TABLE sign_in_links ADD COLUMN user_id TEXT',
  `CREATE TABLE audit_entries (
    id TEXT PRIMARY KEY,
    at_ms BIGINT NOT NULL,
    source TEXT NOT NULL,
    actor TEXT NOT NULL,
    actor_id TEXT,
    address TEXT,
    action TEXT NOT NULL,
    target_id TEXT,
    target_name TEXT,
    details TEXT
  )`,
  'CREATE INDEX audit_entries_by_time ON audit_entries (at_ms, id)',
];
