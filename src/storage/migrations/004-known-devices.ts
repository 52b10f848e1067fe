export const knownDevicesMigration = [
  // Without a reference to the users, since the version before removes users and knows nothing of this table.
  `CREATE TABLE known_devices (
    hash TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    expires_at_ms BIGINT NOT NULL
  )`,
  'CREATE INDEX known_devices_by_user ON known_devices (user_id)',
];
