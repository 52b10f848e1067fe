import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../../errors/service-error.ts';
import type { Credential } from '../admission.ts';
import type { SignatureNotes } from './signature-notes.ts';

/** A signature may be this much older or newer than our clock. */
const toleranceMs = 300_000;
/** Longer than any signature stays within the tolerance. */
const signatureLifetimeMs = 2 * toleranceMs;

export const emptyBodyHash = createHash('sha256').digest('hex');

export type Signature = {
  /** The signature itself, by which a replay is recognised. */
  hex: string;
  /** Throws invalid_signature unless it was made with the secret, for this request and a body with this hash. */
  verify(bodySha256: string): void;
};

type Signed = Pick<Credential, 'method' | 'url' | 'signature' | 'signatureTimestamp'>;

/** Reads the signature of a request. Throws invalid_signature when there is none, or when it is too old or too new. */
export function readSignature(request: Signed, secret: string, nowMs: number): Signature {
  const { method, url, signature = '', signatureTimestamp = '' } = request;
  const hex = /^v1=([0-9a-f]{64})$/.exec(signature)?.[1];
  const timely =
    /^\d{1,12}$/.test(signatureTimestamp) &&
    Math.abs(nowMs - Number(signatureTimestamp) * 1000) <= toleranceMs;
  if (hex === undefined || !timely) throw new ServiceError('invalid_signature');
  return {
    hex,
    verify(bodySha256) {
      const signed = [signatureTimestamp, method, url, bodySha256].join('\n');
      const expected = createHmac('sha256', secret).update(signed).digest();
      if (!timingSafeEqual(expected, Buffer.from(hex, 'hex'))) throw new ServiceError('invalid_signature');
    },
  };
}

/** A signature is accepted once. */
export async function refuseReplay(notes: SignatureNotes, keyId: string, { hex }: Signature): Promise<void> {
  const first = await notes.noteOnce(`signature ${keyId} ${hex}`, signatureLifetimeMs);
  if (!first) throw new ServiceError('invalid_signature');
}
