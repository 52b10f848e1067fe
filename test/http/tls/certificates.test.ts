import assert from 'node:assert/strict';
import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { connect, createServer } from 'node:tls';
import { developmentCertificate } from '../../../src/http/tls/development-certificate.ts';
import { issueCertificate } from '../../../src/http/tls/issue-certificate.ts';
import { openRaw } from '../../support/raw-connection.ts';
import { startService } from '../../support/service.ts';

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'siann-tls-'));
});
after(() => rm(folder, { recursive: true, force: true }));

const dayMs = 86_400_000;

test('the first start makes an authority and a certificate that names this machine; later ones keep both', async () => {
  const first = await developmentCertificate({ folder, host: '192.0.2.9' });
  const certificate = new X509Certificate(first.cert);
  const authority = new X509Certificate(await readFile(join(folder, 'ca.pem'), 'utf8'));
  assert.ok(certificate.verify(authority.publicKey) && certificate.checkIssued(authority));
  assert.ok(authority.ca && !certificate.ca);
  for (const name of ['localhost', hostname()]) assert.ok(certificate.checkHost(name), name);
  for (const address of ['127.0.0.1', '::1', '192.0.2.9']) assert.ok(certificate.checkIP(address), address);
  for (const key of ['ca-key.pem', 'server-key.pem'])
    assert.equal((await stat(join(folder, key))).mode & 0o777, 0o600);
  assert.deepEqual(await developmentCertificate({ folder, host: '192.0.2.9' }), first);
});

test('another host at home, or an end that is near, makes a new certificate of the same authority', async () => {
  const before = await developmentCertificate({ folder, host: '192.0.2.9' });
  const authority = await readFile(join(folder, 'ca.pem'), 'utf8');
  const moved = await developmentCertificate({ folder, host: '192.168.7.9' });
  assert.ok(new X509Certificate(moved.cert).checkIP('192.168.7.9'));
  const later = await developmentCertificate({
    folder,
    host: '192.168.7.9',
    now: () => new Date(Date.now() + 370 * dayMs),
  });
  assert.equal(new Set([before.cert, moved.cert, later.cert]).size, 3);
  assert.equal(await readFile(join(folder, 'ca.pem'), 'utf8'), authority);
});

test('an authority vouches for this machine and for private addresses, and clients refuse the rest', async () => {
  const { cert, key } = await developmentCertificate({ folder, host: '192.0.2.9' });
  const ca = await readFile(join(folder, 'ca.pem'), 'utf8');
  const authorityKey = createPrivateKey(await readFile(join(folder, 'ca-key.pem'), 'utf8'));
  const authority = {
    name: new X509Certificate(ca).subject.replace(/^CN=/, ''),
    key: authorityKey,
    publicKey: createPublicKey(authorityKey),
  };
  const issue = (...names: string[]) =>
    issueCertificate({ name: 'stolen', validDays: 30, now: new Date(), names, authority });
  assert.equal(await handshake({ cert, key, ca, name: 'localhost' }), 'trusted');
  for (const name of ['localhost', hostname(), '127.0.0.1', '::1', '192.0.2.9', '10.1.2.3', 'fd00::7'])
    assert.equal(await handshake({ ...issue(name), ca, name }), 'trusted', name);
  for (const name of ['bank.example', 'xlocalhost', '192.0.2.10', '8.8.8.8', '172.32.0.1', '2001:db8::1'])
    assert.match(await handshake({ ...issue(name), ca, name }), /permitted subtree/i, name);
  const both = issue('localhost', 'bank.example');
  assert.match(await handshake({ ...both, ca, name: 'localhost' }), /permitted subtree/i);
});

test('a host that the authority may not vouch for makes a new one; a name of the machine is left out', async () => {
  const own = await mkdtemp(join(tmpdir(), 'siann-tls-'));
  try {
    await developmentCertificate({ folder: own, host: 'localhost' });
    const authority = await readFile(join(own, 'ca.pem'), 'utf8');
    const moved = await developmentCertificate({ folder: own, host: '2001:db8::9' });
    const replaced = await readFile(join(own, 'ca.pem'), 'utf8');
    assert.notEqual(replaced, authority);
    assert.equal(await handshake({ ...moved, ca: replaced, name: '2001:db8::9' }), 'trusted');
    const names = JSON.parse(await readFile(join(own, 'ca-names.json'), 'utf8')) as string[];
    const others = names.filter((name) => name !== hostname());
    await writeFile(join(own, 'ca-names.json'), JSON.stringify(others));
    await rm(join(own, 'server.pem'));
    const { cert } = await developmentCertificate({ folder: own, host: '2001:db8::9' });
    assert.equal(new X509Certificate(cert).checkHost(hostname()), undefined);
    assert.equal(await readFile(join(own, 'ca.pem'), 'utf8'), replaced);
  } finally {
    await rm(own, { recursive: true, force: true });
  }
});

test('a damaged authority is made anew', async () => {
  await writeFile(join(folder, 'ca.pem'), 'nonsense');
  const { cert } = await developmentCertificate({ folder, host: 'localhost' });
  const authority = new X509Certificate(await readFile(join(folder, 'ca.pem'), 'utf8'));
  assert.ok(new X509Certificate(cert).verify(authority.publicKey));
});

test('a certificate of one’s own is taken again when its files change, and a bad one is not', async () => {
  const own = ownAuthority();
  const [certPath, keyPath] = [join(folder, 'own.pem'), join(folder, 'own-key.pem')];
  const install = async ({ cert, key }: { cert: string; key: string }) => {
    await writeFile(keyPath, key);
    await writeFile(certPath, cert);
  };
  const [first, second, third] = [own.issue(), own.issue(), own.issue()];
  await install(first);
  await using running = await startService({ env: { SIANN_TLS_CERT: certPath, SIANN_TLS_KEY: keyPath } });
  const served = async () => {
    const socket = connect({
      host: '127.0.0.1',
      servername: 'localhost',
      port: running.ports.live,
      ca: own.cert,
    });
    await new Promise((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject));
    const { raw } = socket.getPeerCertificate();
    socket.destroy();
    return raw.toString('base64');
  };
  const isServed = async ({ cert }: { cert: string }) =>
    (await served()) === new X509Certificate(cert).raw.toString('base64');
  assert.ok(await isServed(first));
  assert.match(await healthz(running.ports.live, own.cert), /strict-transport-security: max-age=\d+/i);

  await install(second);
  for (let tries = 0; !(await isServed(second)); tries++) {
    assert.ok(tries < 100, 'the new certificate was not taken');
    await delay(50);
  }
  await install({ cert: third.cert, key: first.key });
  await running.service.reloadCertificate();
  assert.ok(await isServed(second), 'a pair that does not fit together is left alone');
  assert.ok(running.logged.some(({ msg }) => msg === 'certificate not replaced'));
  await install(third);
  await running.service.reloadCertificate();
  assert.ok(await isServed(third));
});

test('TLS 1.1 is refused, and strict transport not asked for with a certificate of our making', async () => {
  await using running = await startService();
  assert.doesNotMatch(await healthz(running.ports.live, running.ca), /strict-transport-security/i);
  const options = { host: '127.0.0.1', port: running.ports.live, ca: running.ca, servername: 'localhost' };
  const old = connect({
    ...options,
    maxVersion: 'TLSv1.1',
    minVersion: 'TLSv1',
    ciphers: 'DEFAULT:@SECLEVEL=0',
  });
  await assert.rejects(
    new Promise((resolve, reject) => old.once('secureConnect', resolve).once('error', reject)),
  );
});

test('a certificate that cannot be used stops the start with a sentence', async () => {
  const env = { SIANN_TLS_CERT: join(folder, 'none.pem'), SIANN_TLS_KEY: join(folder, 'none-key.pem') };
  await assert.rejects(startService({ env }), /SIANN_TLS_CERT: the file .* cannot be read \(ENOENT\)\./);
  const own = ownAuthority();
  await writeFile(env.SIANN_TLS_CERT, own.issue().cert);
  await writeFile(env.SIANN_TLS_KEY, own.issue().key);
  await assert.rejects(startService({ env }), /cannot be used together/);
  const past = own.issue(new Date(Date.now() - 30 * dayMs));
  await writeFile(env.SIANN_TLS_CERT, past.cert);
  await writeFile(env.SIANN_TLS_KEY, past.key);
  await assert.rejects(startService({ env }), /ended on .* Replace it/);
});

async function healthz(port: number, ca: string): Promise<string> {
  await using connection = await openRaw(port, ca);
  connection.send('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
  return await connection.until(/"ok"/);
}

function ownAuthority() {
  const name = 'Somebody else';
  const { cert, key } = issueCertificate({ name, validDays: 5, now: new Date(), names: [] });
  const privateKey = createPrivateKey(key);
  const authority = { name, key: privateKey, publicKey: createPublicKey(privateKey) };
  const issue = (now = new Date()) =>
    issueCertificate({ name: 'localhost', validDays: 5, now, names: ['localhost', '127.0.0.1'], authority });
  return { cert, issue };
}

/** What a client that trusts the authority makes of a server with this certificate. */
async function handshake(given: { cert: string; key: string; ca: string; name: string }): Promise<string> {
  const { cert, key, ca, name } = given;
  const server = createServer({ cert, key }, (socket) => socket.on('error', () => {}).end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  try {
    return await new Promise<string>((resolve) => {
      const socket = connect({
        host: '127.0.0.1',
        port,
        ca,
        ...(isIP(name) === 0 && { servername: name }),
        checkServerIdentity: () => undefined,
      });
      socket.on('secureConnect', () => {
        const certificate = socket.getPeerX509Certificate()!;
        // OpenSSL is asked: checkServerIdentity of Node.js 22.23 takes no IPv6 address for one.
        const isNamed = isIP(name) ? certificate.checkIP(name) : certificate.checkHost(name);
        resolve(isNamed ? 'trusted' : `The certificate is for ${certificate.subjectAltName}.`);
        socket.destroy();
      });
      socket.on('error', (error) => resolve(error.message));
    });
  } finally {
    server.close();
  }
}
