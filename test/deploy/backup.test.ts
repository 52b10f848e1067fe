import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openDatabase } from '../../src/storage/open-database.ts';
import { createAccountTestbed, startGate } from '../support/accounts.ts';
import { type CreateDatabase, onBothEngines } from '../support/both-engines.ts';

const guide = readFileSync(fileURLToPath(new URL('../../docs/cluster/backup.md', import.meta.url)), 'utf8');

/** As the guide says it, word for word, so that the guide is what is tried. */
const dump = ['--format=custom', '--no-owner'];
const restore = ['--no-owner', '--exit-on-error', '--single-transaction'];

function backUpAndRestore(from: string, into: string, folder: string): void {
  if (!from.startsWith('postgres:')) return void execFileSync('sqlite3', [from, `.backup ${into}`]);
  const file = join(folder, 'siann.dump');
  execFileSync('pg_dump', [...dump, `--file=${file}`, from]);
  execFileSync('pg_restore', [...restore, `--dbname=${into}`, file]);
}

await onBothEngines({
  'a backup': (create: CreateDatabase) => {
    it('made while work goes on has the keys, the ledger and the usage in it', async (context) => {
      await using testbed = await createAccountTestbed(create);
      const program = testbed.url.startsWith('postgres:') ? 'pg_dump' : 'sqlite3';
      if (spawnSync(program, ['--version']).status !== 0) return context.skip(`${program} is not installed.`);
      const { key } = await testbed.createKey();
      const settled = await testbed.gate.admit(testbed.credential(key), 'connection');
      await settled.reserve(90);
      await settled.settle(61.5);
      await settled.close();
      const running = await testbed.gate.admit(testbed.credential(key), 'connection');
      await running.reserve(30);

      await using restored = await create();
      const folder = await mkdtemp(join(tmpdir(), 'siann-backup-'));
      backUpAndRestore(testbed.url, restored.url, folder);
      await rm(folder, { recursive: true });
      await running.close();

      await using database = await openDatabase(restored);
      const balances = await database.queries.selectFrom('balances').selectAll().execute();
      assert.deepEqual(
        balances.map(({ used_ms, reserved_ms }) => [Number(used_ms), Number(reserved_ms)]),
        [[61_500, 30_000]],
      );
      const { clock } = testbed;
      await using gate = await startGate({ database, clock, instance: 'after', log: { error() {} } });
      const lease = await gate.admit(testbed.credential(key), 'connection');
      await lease.reserve(1);
      await lease.settle(1);
      await lease.close();
      const days = await database.queries.selectFrom('daily_usage').selectAll().execute();
      assert.deepEqual(
        days.map(({ used_ms, requests }) => [Number(used_ms), Number(requests)]),
        [[62_500, 2]],
      );
    });

    it('is made with the commands of the guide', () => {
      assert.ok(guide.includes(`pg_dump ${dump.join(' ')} `));
      assert.ok(guide.includes(`pg_restore ${restore.join(' ')} `));
      for (const line of guide.split('\n').filter((line) => /pg_dump|\.backup|tls-backup/.test(line)))
        assert.match(line, /^\(umask 077; .*\)$/, 'nobody else on the machine reads it');
      assert.match(guide, /sqlite3 data\/siann\.db "\.backup siann-backup\.db"/);
    });
  },
});
