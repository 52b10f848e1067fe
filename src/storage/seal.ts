import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** Encrypts texts that lie where others can read or write. Whoever lacks the secret can neither read them nor make them up. */
export type Seal = {
  /** `about` says what the text is and where it lies. It is not hidden, and a text that was moved elsewhere does not open. */
  close(text: string, about: string): string;
  /** The text; undefined when it was not sealed with this secret, for that place. */
  open(sealed: string, about: string): string | undefined;
};

const version = 'v1.';
const nonceBytes = 12;
const tagBytes = 16;

/** AES-256-GCM. The key is derived from the secret (RFC 5869), so that the same secret may serve for other things. */
export function createSeal(secret: string): Seal {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'siann seal v1', 32));
  return {
    close(text, about) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(about));
      const hidden = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return version + Buffer.concat([nonce, hidden, cipher.getAuthTag()]).toString('base64url');
    },
    open(sealed, about) {
      const bytes = Buffer.from(sealed.slice(version.length), 'base64url');
      if (!sealed.startsWith(version) || bytes.length < nonceBytes + tagBytes) return undefined;
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes));
      decipher.setAAD(Buffer.from(about)).setAuthTag(bytes.subarray(-tagBytes));
      try {
        const text = decipher.update(bytes.subarray(nonceBytes, -tagBytes));
        return Buffer.concat([text, decipher.final()]).toString('utf8');
      } catch {
        return undefined;
      }
    },
  };
}
