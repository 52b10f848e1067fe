import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { createNetworkList } from '../../addresses/networks.ts';
import type { CertifiedKey } from './certified-key.ts';
import { issueCertificate } from './issue-certificate.ts';

export type DevelopmentCertificateOptions = { folder: string; host: string; now?: () => Date };

const authorityDays = 3650;
const serverDays = 397;
const renewBeforeDays = 30;
/** What the authority may vouch for, so that it need not be read out of the certificate. */
const namesFile = 'ca-names.json';
/** Addresses that exist in many networks and belong to nobody: this machine may get any of them. */
const privateNetworks = [
  '127.0.0.0/8',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '169.254.0.0/16',
  '100.64.0.0/10',
  '::1/128',
  'fc00::/7',
  'fe80::/10',
];

/**
 * A certificate for this machine from a development authority. The authority is made at the first start and kept in
 * `folder`, so that clients have to trust it only once. Certificates that end soon, or that lack a name of this machine, are
 * replaced.
 */
export async function developmentCertificate(options: DevelopmentCertificateOptions): Promise<CertifiedKey> {
  const { folder, host, now = () => new Date() } = options;
  const wanted = machineNames(host);
  const isHost = (name: string) => name === host;
  await mkdir(folder, { recursive: true });
  let authority = await readPair(folder, 'ca');
  const permits = await createPermission(folder);
  // Nobody could call a host that the operator names and the authority may not vouch for.
  const isNew =
    !authority ||
    endsWithin(authority, serverDays + renewBeforeDays, now()) ||
    !wanted.filter(isHost).every(permits);
  if (isNew || !authority) {
    const name = `Siann development authority of ${hostname()}`;
    const permitted = [...new Set([...wanted, ...privateNetworks])];
    authority = issueCertificate({ name, validDays: authorityDays, now: now(), names: permitted });
    await replaceFile(join(folder, namesFile), JSON.stringify(permitted), 0o644);
    await writePair(folder, 'ca', authority);
  }
  const names = isNew ? wanted : wanted.filter(permits);
  const server = isNew ? undefined : await readPair(folder, 'server');
  if (server && isGood(server, authority, names, now())) return server;

  const authorityKey = createPrivateKey(authority.key);
  const issued = issueCertificate({
    name: 'localhost',
    validDays: serverDays,
    now: now(),
    names,
    authority: {
      name: new X509Certificate(authority.cert).subject.replace(/^CN=/, ''),
      key: authorityKey,
      publicKey: createPublicKey(authorityKey),
    },
  });
  await writePair(folder, 'server', issued);
  return issued;
}

/**
 * Which names the authority may vouch for. It may not have been made for a name that the machine got later: that name is left
 * out, since clients would refuse the whole certificate. An authority of an older version may vouch for everything.
 */
async function createPermission(folder: string): Promise<(name: string) => boolean> {
  const text = await readFile(join(folder, namesFile), 'utf8').catch(() => undefined);
  if (text === undefined) return () => true;
  const permitted: string[] = JSON.parse(text);
  const networks = createNetworkList(permitted.filter((name) => isIP(name.split('/')[0]!) > 0));
  return (name) => (isIP(name) > 0 ? networks.includes(name) : permitted.includes(name));
}

/** Every name under which a client on this machine, or on its network when it listens there, may call it. */
function machineNames(host: string): string[] {
  const everywhere = host === '0.0.0.0' || host === '::';
  const addresses = everywhere
    ? Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address))
    : [host];
  return [...new Set(['localhost', '127.0.0.1', '::1', hostname(), ...addresses])].filter(
    (name) => isIP(name) > 0 || /^[\w.-]+$/.test(name),
  );
}

function isGood(server: CertifiedKey, authority: CertifiedKey, names: string[], now: Date): boolean {
  const certificate = new X509Certificate(server.cert);
  return (
    !endsWithin(server, renewBeforeDays, now) &&
    certificate.verify(new X509Certificate(authority.cert).publicKey) &&
    names.every((name) => (isIP(name) ? certificate.checkIP(name) : certificate.checkHost(name)))
  );
}

function endsWithin({ cert }: CertifiedKey, days: number, now: Date): boolean {
  return Date.parse(new X509Certificate(cert).validTo) - now.getTime() < days * 86_400_000;
}

async function readPair(folder: string, name: string): Promise<CertifiedKey | undefined> {
  try {
    const [cert, key] = await Promise.all([
      readFile(join(folder, `${name}.pem`), 'utf8'),
      readFile(join(folder, `${name}-key.pem`), 'utf8'),
    ]);
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)) ? { cert, key } : undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EACCES' || code === 'EPERM') throw error;
    return undefined;
  }
}

/** The key is written first, since a certificate without its key is useless. */
async function writePair(folder: string, name: string, { cert, key }: CertifiedKey): Promise<void> {
  await replaceFile(join(folder, `${name}-key.pem`), key, 0o600);
  await replaceFile(join(folder, `${name}.pem`), cert, 0o644);
}

async function replaceFile(path: string, text: string, mode: number): Promise<void> {
  const temporary = `${path}.${process.pid}`;
  await writeFile(temporary, text, { mode });
  await rename(temporary, path);
}
