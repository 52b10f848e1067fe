/** A certificate with its chain and its private key, both as PEM. */
export type CertifiedKey = { cert: string; key: string };
