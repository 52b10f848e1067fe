export const consoleMigration = [
  `CREATE TABLE console_users (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    password_hash TEXT NOT NULL,
    created_at TEXT NOT NULL
  )`,
  `CREATE TABLE sign_in_links (
    hash TEXT PRIMARY KEY,
    expires_at_ms BIGINT NOT NULL
  )`,
  `CREATE TABLE sign_in_sessions (
    hash TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES console_users (id),
    created_at_ms BIGINT NOT NULL,
    expires_at_ms BIGINT NOT NULL
  )`,
  'CREATE INDEX sign_in_sessions_by_user ON sign_in_sessions (user_id)',
];
