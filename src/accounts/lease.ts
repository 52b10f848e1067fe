import { createInOrder } from '../async/in-order.ts';
import type { Admitted, Lease, StreamToken } from './admission.ts';
import type { Charges } from './charges.ts';
import type { BodyCheck } from './keys/body-check.ts';

export type LeaseParts = {
  admitted: Admitted;
  body: BodyCheck;
  charges: Charges;
  token: { issue(note?: string): Promise<StreamToken>; note: string | undefined };
  /** Gives the function that ends this. */
  abortWhenRevoked(controller: AbortController): () => void;
  returnPermit(): Promise<void>;
};

export function createLease({ admitted, body, charges, token, ...parts }: LeaseParts): Lease {
  const inOrder = createInOrder();
  let closed = false;
  let revocation: { controller: AbortController; stop(): void } | undefined;

  return {
    admitted,
    signed: body.signed,
    verifyBody: body.verify,
    async issueToken(note) {
      body.assertVerified();
      return token.issue(note);
    },
    ...(token.note !== undefined && { tokenNote: token.note }),
    get revoked() {
      if (!revocation) {
        const controller = new AbortController();
        const stop = closed ? () => {} : parts.abortWhenRevoked(controller);
        revocation = { controller, stop };
      }
      return revocation.controller.signal;
    },
    async reserve(totalSeconds) {
      const totalMs = milliseconds(totalSeconds);
      await inOrder(() => charges.reserve(totalMs));
    },
    async settleSoFar(totalSeconds) {
      body.assertVerified();
      const totalMs = milliseconds(totalSeconds);
      await inOrder(() => charges.settleSoFar(totalMs));
    },
    async settle(seconds) {
      body.assertVerified();
      const totalMs = milliseconds(seconds);
      await inOrder(() => charges.settle(totalMs));
    },
    async settleUpToQuota(seconds) {
      body.assertVerified();
      const totalMs = milliseconds(seconds);
      return (await inOrder(() => charges.settleUpToQuota(totalMs))) / 1000;
    },
    async owe(seconds) {
      body.assertVerified();
      const totalMs = milliseconds(seconds);
      await inOrder(() => charges.owe(totalMs));
    },
    close: () =>
      inOrder(async () => {
        if (closed) return;
        closed = true;
        revocation?.stop();
        try {
          await parts.returnPermit();
        } finally {
          await charges.close();
        }
      }),
  };
}

function milliseconds(seconds: number): number {
  if (!Number.isFinite(seconds) || seconds < 0) throw new RangeError(`${seconds} is not an amount of audio.`);
  return Math.round(seconds * 1000);
}
