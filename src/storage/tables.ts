import type { Generated } from 'kysely';

/** The rows as both engines hold them. Times are ISO 8601 text where people read them, milliseconds where they are compared. */
export type Tables = {
  accounts: AccountRow;
  projects: ProjectRow;
  api_keys: ApiKeyRow;
  balances: BalanceRow;
  reservations: ReservationRow;
  ledger_entries: LedgerEntryRow;
  daily_usage: DailyUsageRow;
  console_users: ConsoleUserRow;
  sign_in_links: SignInLinkRow;
  sign_in_sessions: SignInSessionRow;
  known_devices: KnownDeviceRow;
  audit_entries: AuditEntryRow;
  signature_notes: SignatureNoteRow;
};

export type AccountRow = { id: string; name: string; created_at: string };

export type ProjectRow = {
  id: string;
  account_id: string;
  name: string;
  plan: string;
  /** CIDRs as a JSON array; an empty one lets every address in. */
  allow_list: string;
  created_at: string;
  deleted_at: string | null;
};

export type ApiKeyRow = {
  id: string;
  project_id: string;
  name: string;
  environment: string;
  /** The first characters of the key, by which people tell keys apart. */
  prefix: string;
  /** SHA-256 of the key in hex. */
  hash: string;
  /** Present when requests must be signed. Sealed, where the installation has a secret: an HMAC cannot be checked with a hash. */
  signing_secret: string | null;
  created_at: string;
  regenerated_at: string | null;
  revoked_at: string | null;
  /** From then on it is not valid. Null is never. */
  expires_at: string | null;
  /** What it may do, as a JSON array. Null is everything. */
  scopes: string | null;
  /** The key before it was rolled, which is valid until `previous_expires_at`. */
  previous_hash: string | null;
  previous_expires_at: string | null;
  /** Exact to the minute. */
  last_used_at: string | null;
  /** SHA-256 of the console session that the key was made for. It is valid as long as that session. Null for all other keys. */
  playground_session: string | null;
};

/** What a key has used of a month, and what its running requests hold. */
export type BalanceRow = { key_id: string; month: string; used_ms: number; reserved_ms: number };

/** What a running request holds. The row is deleted when the request is settled or released. */
export type ReservationRow = {
  request_id: string;
  key_id: string;
  month: string;
  day: string;
  reserved_ms: number;
  instance: string;
  expires_at_ms: number;
};

/**
 * How requests ended; a request is settled at most once. Rows stay as they are, with two exceptions: the charge of a stream is
 * raised while the stream goes on, and a charge for which no answer was given is replaced by a release.
 */
export type LedgerEntryRow = {
  request_id: string;
  kind: string;
  key_id: string;
  day: string;
  milliseconds: number;
  recorded_at: string;
};

export type DailyUsageRow = { key_id: string; day: string; used_ms: number; requests: number };

/** Who may use the console. */
export type ConsoleUserRow = {
  id: string;
  name: string;
  /** `none` for somebody who can only sign in with the identity provider. */
  password_hash: string;
  created_at: string;
  role: Generated<string>;
  /** Who it is for the identity provider: its address and its name for the person. */
  provider_subject: string | null;
};

/** SHA-256 of a link that lets one person choose a name and a password, once. */
export type SignInLinkRow = {
  hash: string;
  expires_at_ms: number;
  /** Of the user that is made with it. */
  role: Generated<string>;
  /** The one user who can use it for a new password. Null for anybody. */
  user_id: string | null;
};

/** SHA-256 of what the browser's cookie holds. */
export type SignInSessionRow = {
  hash: string;
  user_id: string;
  created_at_ms: number;
  expires_at_ms: number;
};

/** SHA-256 of the secret of a browser in which this user has signed in. */
export type KnownDeviceRow = { hash: string; user_id: string; expires_at_ms: number };

/** Who changed what, when and from where. Rows are only added. */
export type AuditEntryRow = {
  id: string;
  at_ms: number;
  /** `console`, `command line` or `service`. */
  source: string;
  actor: string;
  actor_id: string | null;
  address: string | null;
  action: string;
  target_id: string | null;
  target_name: string | null;
  /** What it was before and is now, as a JSON object of texts. */
  details: string | null;
};

/** A signature that was used, and until when it is remembered. */
export type SignatureNoteRow = { name: string; forget_at_ms: number };
