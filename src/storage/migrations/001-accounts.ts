export const accountsMigration = [
  `CREATE TABLE accounts (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    created_at TEXT NOT NULL
  )`,
  `CREATE TABLE projects (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    name TEXT NOT NULL,
    plan TEXT NOT NULL,
    allow_list TEXT NOT NULL,
    created_at TEXT NOT NULL,
    deleted_at TEXT
  )`,
  // A deleted project stays for the sake of its usage, but its name is free again.
  'CREATE UNIQUE INDEX projects_by_name ON projects (account_id, name) WHERE deleted_at IS NULL',
  `CREATE TABLE api_keys (
    id TEXT PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects (id),
    name TEXT NOT NULL,
    environment TEXT NOT NULL,
    prefix TEXT NOT NULL,
    hash TEXT NOT NULL,
    signing_secret TEXT,
    created_at TEXT NOT NULL,
    regenerated_at TEXT,
    revoked_at TEXT
  )`,
  'CREATE UNIQUE INDEX api_keys_by_hash ON api_keys (hash)',
  'CREATE INDEX api_keys_by_project ON api_keys (project_id)',
];
