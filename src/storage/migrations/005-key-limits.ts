export const keyLimitsMigration = [
  'ALTER TABLE api_keys ADD COLUMN expires_at TEXT',
  'ALTER TABLE api_keys ADD COLUMN scopes TEXT',
  'ALTER TABLE api_keys ADD COLUMN previous_hash TEXT',
  'ALTER TABLE api_keys ADD COLUMN previous_expires_at TEXT',
  'ALTER TABLE api_keys ADD COLUMN last_used_at TEXT',
  'ALTER TABLE api_keys ADD COLUMN playground_session TEXT',
  'CREATE INDEX api_keys_by_previous_hash ON api_keys (previous_hash)',
  'CREATE INDEX api_keys_by_playground_session ON api_keys (playground_session)',
];
