import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
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
  networks: string[];
  depends_on?: Record<string, { condition: string }>;
  stop_grace_period: string;
};

describe('the compose file', () => {
  makeSecrets(folder);

  test('starts an API node and workers with settings that are right together', () => {
    for (const [name, role] of [
      ['api', 'api'],
      ['worker', 'worker'],
    ] as const) {
      const { environment, stop_grace_period } = services[name] as Service;
      const config = loadConfig({ ...parseEnvFile(read(`${name}.env`)), ...environment });
      assert.equal(config.role, role);
      assert.equal(new URL(config.redisUrl!).host, 'redis:6379');
      assert.ok(Number.parseInt(stop_grace_period, 10) > config.drainSeconds);
    }
    const { databaseUrl } = loadConfig(parseEnvFile(read('api.env')));
    assert.equal(new URL(databaseUrl).password, read('postgres-password'));
    assert.doesNotMatch(read('worker.env'), /postgres/);
    assert.equal(services.worker.deploy.replicas, 2);
  });

  test('names only what it has', () => {
    for (const [name, service] of Object.entries<Service>(services)) {
      for (const secret of service.secrets)
        assert.ok(secrets[typeof secret === 'string' ? secret : secret.source], name);
      for (const network of service.networks) assert.ok(network in networks, name);
      for (const other of Object.keys(service.depends_on ?? {})) assert.ok(services[other], name);
    }
    assert.deepEqual(Object.keys(volumes), ['api-data', 'postgres-data']);
    for (const { file } of Object.values<{ file: string }>(secrets)) {
      assert.ok(file.startsWith('./secrets/'));
      assert.ok(existsSync(join(folder, file.slice('./secrets/'.length))), file);
    }
  });

  test('holds no password, and only the API is reached from outside', () => {
    assert.doesNotMatch(composeText, /PASSWORD:|:\/\/[^\s]*:[^\s]*@/);
    const open = Object.entries<Service & { ports?: string[] }>(services).filter(([, { ports }]) => ports);
    assert.deepEqual(
      open.map(([name]) => name),
      ['api'],
    );
    assert.equal(networks.back.internal, true);
    for (const name of ['worker', 'postgres', 'redis'])
      assert.deepEqual((services[name] as Service).networks, ['back']);
  });

  test('makes up passwords once, each different, behind a folder that is nobody else’s', () => {
    const before = read('api.env');
    makeSecrets(folder);
    assert.equal(read('api.env'), before);
    assert.equal(statSync(folder).mode & 0o777, 0o700);
    assert.match(read('postgres-password'), /^[A-Za-z0-9]{40}$/);
    const redisPassword = /^requirepass ([A-Za-z0-9]{40})\n$/.exec(read('redis.conf'))?.[1];
    assert.ok(redisPassword && redisPassword !== read('postgres-password'));
    assert.ok(read('worker.env').includes(`redis://default:${redisPassword}@`));
  });
});
