import assert from 'node:assert/strict';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { installationSecret } from '../../src/storage/installation-secret.ts';

test('a service with a database file makes a secret once, which only its user can read', async () => {
  await using folder = await temporaryFolder();
  const databaseUrl = join(folder.path, 'data', 'siann.db');
  const made = await Promise.all(
    [1, 2, 3, 4].map(() => installationSecret({ secret: undefined, databaseUrl })),
  );
  assert.equal(new Set(made).size, 1, 'all who start at once have the same');
  assert.match(made[0]!, /^[\w-]{43}$/);
  const path = join(folder.path, 'data', 'secret');
  assert.deepEqual(await readdir(join(folder.path, 'data')), ['secret']);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  await chmod(path, 0o644);
  assert.equal(await installationSecret({ secret: undefined, databaseUrl }), made[0]);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  assert.equal((await readFile(path, 'utf8')).trim(), made[0]);
});

test('what the settings say counts, and services that share a server make none', async () => {
  await using folder = await temporaryFolder();
  const databaseUrl = join(folder.path, 'siann.db');
  assert.equal(await installationSecret({ secret: 'given', databaseUrl }), 'given');
  const shared = { secret: undefined, databaseUrl: 'postgres://siann@db/siann' };
  assert.equal(await installationSecret(shared), undefined);
  assert.deepEqual(await readdir(folder.path), []);
});

test('a secret that cannot be used stops the start, instead of being replaced', async () => {
  await using folder = await temporaryFolder();
  const databaseUrl = join(folder.path, 'siann.db');
  await writeFile(join(folder.path, 'secret'), 'cut\n');
  await assert.rejects(installationSecret({ secret: undefined, databaseUrl }), /Bring the file back/);
  assert.equal(await readFile(join(folder.path, 'secret'), 'utf8'), 'cut\n');
});

async function temporaryFolder() {
  const path = await mkdtemp(join(tmpdir(), 'siann-secret-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
