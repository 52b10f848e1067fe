import { refuseReplay, type Signature } from './signature.ts';
import type { SignatureNotes } from './signature-notes.ts';

/** Whether the body of a request is the one that was signed. */
export type BodyCheck = {
  /** True when the key signs its requests. */
  readonly signed: boolean;
  /** Throws invalid_signature. The hash is SHA-256 in lower-case hex. */
  verify(sha256: string): Promise<void>;
  /** Nothing may be charged or given out before the body was verified. */
  assertVerified(): void;
};

type Options = {
  keyId: string;
  notes: SignatureNotes;
  signed: boolean;
  /** What the body must still be checked against; undefined when nothing was signed, or when it has been checked. */
  unverified: Signature | undefined;
};

export function createBodyCheck({ keyId, notes, signed, unverified }: Options): BodyCheck {
  let pending = unverified;
  return {
    signed,
    async verify(sha256) {
      if (!pending) return;
      pending.verify(sha256);
      await refuseReplay(notes, keyId, pending);
      pending = undefined;
    },
    assertVerified() {
      if (pending) throw new Error('A signed request was worked on before its body was verified.');
    },
  };
}
