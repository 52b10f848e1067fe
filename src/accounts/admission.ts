/** Every request passes `Gate.admit` before any work is done for it. The `Lease` that it gets pays for what it uses. */

import type { Environment, KeyScope, PlanId } from '../../wire/account.ts';

/** Everything about a request that decides whether it may come in. */
export type Credential = {
  requestId: string;
  environment: Environment;
  /** The Authorization header as it came. */
  authorization: string | undefined;
  /** A token of `Lease.issueToken`, on routes that take one. It is used instead of the header. */
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
  /** What the key must be allowed to do. Undefined is nothing in particular. */
  scope?: KeyScope | undefined;
};

/**
 * A `call` has no body and is answered at once. A `message` has a body, which the route hands to `verifyBody`. A `connection`
 * has one too, and holds one of the key's permits until its lease is closed.
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

/** Replaces a key where no header can be sent, as in a browser's WebSocket. */
export type StreamToken = { token: string; expiresAt: Date };

export interface Lease {
  readonly admitted: Admitted;
  /** A token opens one connection of this key within a minute. That connection needs no signature. */
  issueToken(note?: string): Promise<StreamToken>;
  /** What was noted with the token that was used here. */
  readonly tokenNote?: string;
  /**
   * Aborts when the key may not do this any more while the work goes on: with invalid_api_key when it was revoked or regenerated or
   * has expired, with ip_not_allowed or insufficient_permission when its address or scope is no longer allowed.
   */
  readonly revoked: AbortSignal;
  /** True when the key signs its requests: the body's hash must be handed to `verifyBody` before anything is answered. */
  readonly signed: boolean;
  /** Throws invalid_signature. The hash is SHA-256 in lower-case hex. */
  verifyBody(sha256: string): Promise<void>;
  /** Makes sure that at least `totalSeconds` of audio are reserved; throws quota_exceeded. */
  reserve(totalSeconds: number): Promise<void>;
  /** Charges what a stream has used so far, out of what was reserved. More may follow until the stream is settled. */
  settleSoFar(totalSeconds: number): Promise<void>;
  /**
   * Charges `seconds` once and for all, and gives back the rest of what was reserved. It is called just before the answer is
   * written. When it throws, no answer may be written, and a charge that was made is taken back.
   */
  settle(seconds: number): Promise<void>;
  /**
   * The same for a stream, which has its text already. What it used past the quota while the database was away is not
   * charged. Gives the seconds that were charged.
   */
  settleUpToQuota(seconds: number): Promise<number>;
  /** The same, later and once, when the database was away for `settleUpToQuota`. */
  owe(seconds: number): Promise<void>;
  /** Gives back the permit, and whatever was reserved and not settled. May be called at any time, any number of times. */
  close(): Promise<void>;
}
