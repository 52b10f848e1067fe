import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type { CertifiedKey } from './certified-key.ts';

export type OperatorCertificatePaths = { certPath: string; keyPath: string };

/** The operator's certificate and key. Throws a sentence when they cannot be used. */
export async function readOperatorCertificate({
  certPath,
  keyPath,
}: OperatorCertificatePaths): Promise<CertifiedKey> {
  // One after the other, so that of two missing files the same one is always named.
  const cert = await readText('SIANN_TLS_CERT', certPath);
  const key = await readText('SIANN_TLS_KEY', keyPath);
  const validTo = validityOf(cert, key, { certPath, keyPath });
  if (Date.parse(validTo) < Date.now())
    throw new Error(`The certificate in ${certPath} ended on ${validTo}. Replace it with a valid one.`);
  return { cert, key };
}

/** Finds faults of the pair now, which a server would report only at the first connection. */
function validityOf(cert: string, key: string, { certPath, keyPath }: OperatorCertificatePaths): string {
  try {
    createSecureContext({ cert, key });
    return new X509Certificate(cert).validTo;
  } catch (error) {
    const message = `The certificate in ${certPath} and the key in ${keyPath} cannot be used together (${(error as Error).message}). Both must be PEM files, the key not encrypted and of that certificate.`;
    throw new Error(message, { cause: error });
  }
}

async function readText(setting: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const message = `${setting}: the file ${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`;
    throw new Error(message, { cause: error });
  }
}
