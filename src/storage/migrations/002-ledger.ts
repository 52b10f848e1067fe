export const ledgerMigration = [
  `CREATE TABLE balances (
    key_id TEXT NOT NULL REFERENCES api_keys (id),
    month TEXT NOT NULL,
    used_ms BIGINT NOT NULL,
    reserved_ms BIGINT NOT NULL,
    PRIMARY KEY (key_id, month),
    CHECK (used_ms >= 0 AND reserved_ms >= 0)
  )`,
  `CREATE TABLE reservations (
    request_id TEXT PRIMARY KEY,
    key_id TEXT NOT NULL REFERENCES api_keys (id),
    month TEXT NOT NULL,
    day TEXT NOT NULL,
    reserved_ms BIGINT NOT NULL,
    instance TEXT NOT NULL,
    expires_at_ms BIGINT NOT NULL
  )`,
  'CREATE INDEX reservations_by_expiry ON reservations (expires_at_ms)',
  `CREATE TABLE ledger_entries (
    request_id TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('settle', 'release')),
    key_id TEXT NOT NULL REFERENCES api_keys (id),
    day TEXT NOT NULL,
    milliseconds BIGINT NOT NULL CHECK (milliseconds >= 0),
    recorded_at TEXT NOT NULL
  )`,
  "CREATE UNIQUE INDEX ledger_entries_settled_once ON ledger_entries (request_id) WHERE kind = 'settle'",
  `CREATE TABLE daily_usage (
    key_id TEXT NOT NULL REFERENCES api_keys (id),
    day TEXT NOT NULL,
    used_ms BIGINT NOT NULL,
    requests BIGINT NOT NULL,
    PRIMARY KEY (key_id, day)
  )`,
];
