/** What stands between a request and the work: `Gate.admit` is the only door, and the `Lease` it gives pays for what is used. */

import type { Environment, PlanId } from '../../wire/account.ts';

/** Everything about a request that decides whether it may come in. */
export type Credential = {
  requestId: string;
  environment: Environment;
  /** The Authorization header as it came. */
  authorization: string | undefined;
  /** A one-use token of `Lease.issueToken`, where the route takes one; it then counts instead of the header. */
  streamToken?: string | undefined;
  /** X-Project-ID or OpenAI-Project. */
  projectId: string | undefined;
  /** The client's address, as the trusted proxy reports it where there is one. */
  address: string;
  method: string;
  /** Path and query as they came, since they are part of what is signed. */
  url: string;
  signature: string | undefined;
  signatureTimestamp: string | undefined;
};

/**
 * A `call` has no body and is answered at once; a `message` has one, which the route hands to `verifyBody`; so has a
 * `connection`, which holds one of the key's permits until its lease is closed.
 */
export type AdmissionKind = 'call' | 'message' | 'connection';

export interface Gate {
  /** Throws the ServiceError of the first check that fails. */
  admit(credential: Credential, kind: AdmissionKind): Promise<Lease>;
}

export type Admitted = {
  account: { id: string; name: string };
  project: { id: string; name: string };
  key: { id: string; prefix: string; createdAt: string };
  environment: Environment;
  plan: PlanId;
};

/** Stands in for a key where there is no header to put one in: in a browser's WebSocket. */
export type StreamToken = { token: string; expiresAt: Date };

export interface Lease {
  readonly admitted: Admitted;
  /** For one connection of this key within a minute, from where no header can be sent. It needs no signature. */
  issueToken(note?: string): Promise<StreamToken>;
  /** What was noted with the token that was used here. */
  readonly tokenNote?: string;
  /** Aborts with invalid_api_key when the key is revoked or regenerated while the work goes on. */
  readonly revoked: AbortSignal;
  /** True when the key signs its requests: the body's hash must be handed to `verifyBody` before anything is answered. */
  readonly signed: boolean;
  /** Throws invalid_signature. The hash is SHA-256 in lower-case hex. */
  verifyBody(sha256: string): Promise<void>;
  /** Makes sure that at least `totalSeconds` of audio are reserved; throws quota_exceeded. */
  reserve(totalSeconds: number): Promise<void>;
  /** Charges what a stream has used so far, in place of so much of what was reserved; more may follow, until `settle`. */
  settleSoFar(totalSeconds: number): Promise<void>;
  /**
   * Charges `seconds` once and for all, in place of what was reserved. Called just before the answer is written; when it
   * throws there must be none, and the charge is taken back if it was made.
   */
  settle(seconds: number): Promise<void>;
  /**
   * The same for a stream, which has been given its text already: what it used past the quota, while nobody could say so, is
   * not charged. Gives the seconds that were.
   */
  settleUpToQuota(seconds: number): Promise<number>;
  /** The same, later and once, when the database was away for `settleUpToQuota`. */
  owe(seconds: number): Promise<void>;
  /** Gives back the permit, and whatever was reserved and not settled. May be called at any time, any number of times. */
  close(): Promise<void>;
}
