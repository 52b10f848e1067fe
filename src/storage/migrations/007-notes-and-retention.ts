export const notesAndRetentionMigration = [
  `CREATE TABLE signature_notes (
    name TEXT PRIMARY KEY,
    forget_at_ms BIGINT NOT NULL
  )`,
  'CREATE INDEX signature_notes_by_time ON signature_notes (forget_at_ms)',
  'CREATE INDEX ledger_entries_by_day ON ledger_entries (day)',
];
