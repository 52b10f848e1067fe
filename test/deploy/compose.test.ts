import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { createNetworkList } from '../../src/addresses/networks.ts';
import { loadConfig } from '../../src/settings/config.ts';
import { parseEnvFile } from '../../src/settings/environment-files.ts';

const deploy = fileURLToPath(new URL('../../deploy/', import.meta.url));
const composeText = readFileSync(join(deploy, 'compose.yaml'), 'utf8');
const { services, secrets, networks, volumes } = parse(composeText, { merge: true });
const folder = mkdtempSync(join(tmpdir(), 'siann-secrets-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const makeSecrets = (into: string) => execFileSync(join(deploy, 'make-secrets.sh'), [into]);
const read = (name: string) => readFileSync(join(folder, name), 'utf8');

type Service = {
  environment: Record<string, string>;
  secrets: (string | { source: string; target: string })[];
  networks: string[] | Record<string, { ipv4_address?: string }>;
  depends_on?: string[] | Record<string, { condition: string }>;
  stop_grace_period: string;
};

/** As compose reads `${NAME:-default}` when nothing is set. */
const defaultOf = (text: string) => text.replace(/\$\{\w+:-([^}]*)\}/g, '$1');
const withDefaults = (environment: Record<string, string>) =>
  Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, defaultOf(value)]));
const networksOf = ({ networks }: Service) => (Array.isArray(networks) ? networks : Object.keys(networks));

describe('the compose file', () => {
  makeSecrets(folder);

  test('starts an API node and workers with settings that are right together', () => {
    for (const [name, role] of [
      ['api', 'api'],
      ['worker', 'worker'],
    ] as const) {
      const { environment, stop_grace_period } = services[name] as Service;
      const config = loadConfig({ ...parseEnvFile(read(`${name}.env`)), ...withDefaults(environment) });
      assert.equal(config.role, role);
      assert.equal(new URL(config.redisUrl!).host, 'redis:6379');
      assert.equal(new URL(config.redisUrl!).username, role);
      assert.equal(config.secret?.length, role === 'api' ? 40 : undefined);
      assert.ok(Number.parseInt(stop_grace_period, 10) > config.drainSeconds);
    }
    const { databaseUrl } = loadConfig(parseEnvFile(read('api.env')));
    assert.equal(new URL(databaseUrl).password, read('postgres-password'));
    assert.doesNotMatch(read('worker.env'), /postgres|SECRET/);
    assert.equal(services.api.deploy.replicas, 2);
    assert.equal(services.worker.deploy.replicas, 2);
  });

  test('names only what it has', () => {
    for (const [name, service] of Object.entries<Service>(services)) {
      for (const secret of service.secrets)
        assert.ok(secrets[typeof secret === 'string' ? secret : secret.source], name);
      for (const network of networksOf(service)) assert.ok(network in networks, name);
      const others = service.depends_on ?? [];
      for (const other of Array.isArray(others) ? others : Object.keys(others))
        assert.ok(services[other], name);
    }
    assert.deepEqual(Object.keys(volumes), ['api-data', 'postgres-data']);
    for (const { file } of Object.values<{ file: string }>(secrets)) {
      assert.ok(file.startsWith('./secrets/'));
      assert.ok(existsSync(join(folder, file.slice('./secrets/'.length))), file);
    }
  });

  test('holds no password, and only the balancer is reached from outside', () => {
    assert.doesNotMatch(composeText, /PASSWORD:|:\/\/[^\s]*:[^\s]*@/);
    const open = Object.entries<Service & { ports?: string[] }>(services).filter(([, { ports }]) => ports);
    assert.deepEqual(
      open.map(([name]) => name),
      ['balancer'],
    );
    assert.equal(networks.back.internal, true);
    assert.equal(networks.nodes.internal, true);
    for (const name of ['worker', 'postgres', 'redis'])
      assert.deepEqual((services[name] as Service).networks, ['back']);
  });

  test('trusts the address of the balancer and no other', () => {
    const { environment } = services.api as Service;
    const { trustedProxies, tls } = loadConfig({
      ...parseEnvFile(read('api.env')),
      ...withDefaults(environment),
    });
    assert.equal(tls, 'proxy');
    const { nodes } = services.balancer.networks;
    assert.deepEqual(trustedProxies, [`${defaultOf(nodes.ipv4_address)}/32`]);
    const [pool] = networks.nodes.ipam.config;
    const isGivenOut = createNetworkList([defaultOf(pool.ip_range)]);
    assert.equal(isGivenOut.includes(defaultOf(nodes.ipv4_address)), false, 'no node gets that address');
    assert.equal(createNetworkList([defaultOf(pool.subnet)]).includes(defaultOf(nodes.ipv4_address)), true);
    const balancer = readFileSync(join(deploy, 'balancer.conf'), 'utf8');
    assert.match(balancer, /proxy_set_header X-Forwarded-For \$remote_addr;/);
  });

  test('runs every container as an ordinary user, without rights, on a file system that cannot be written', () => {
    for (const [name, service] of Object.entries<Record<string, unknown>>(services)) {
      assert.equal(service.read_only, true, name);
      assert.deepEqual(service.cap_drop, ['ALL'], name);
      assert.deepEqual(service.security_opt, ['no-new-privileges:true'], name);
      // Siann's own image names its user itself.
      if (!String(service.image).startsWith('siann:'))
        assert.ok(service.user && service.user !== 'root', name);
    }
  });

  test('makes up passwords once, each different, behind a folder that is nobody else’s', () => {
    const before = read('api.env');
    makeSecrets(folder);
    assert.equal(read('api.env'), before);
    assert.equal(statSync(folder).mode & 0o777, 0o700);
    assert.match(read('postgres-password'), /^[A-Za-z0-9]{40}$/);
    const passwords = ['api', 'worker'].map((user) => {
      const password = new RegExp(`^user ${user} on >([A-Za-z0-9]{40}) `, 'm').exec(read('redis.conf'))?.[1];
      assert.ok(password && read(`${user}.env`).includes(`redis://${user}:${password}@`), user);
      return password;
    });
    const secret = /^SIANN_SECRET=([A-Za-z0-9]{40})$/m.exec(read('api.env'))?.[1];
    const all = [...passwords, read('postgres-password'), secret];
    assert.equal(new Set(all).size, 4);
    assert.doesNotMatch(read('redis.conf'), /_PASSWORD/);
  });
});
