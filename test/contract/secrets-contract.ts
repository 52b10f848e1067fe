/** What is kept of signatures and of the ledger, on either database. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createKeyLookup } from '../../src/accounts/keys/key-lookup.ts';
import { createSignatureNotes } from '../../src/accounts/keys/signature-notes.ts';
import { createSigningSecrets, sealOldSecrets } from '../../src/accounts/keys/signing-secrets.ts';
import { pruneLedger } from '../../src/accounts/ledger/ledger-retention.ts';
import { createAccounts } from '../../src/accounts/projects/accounts.ts';
import { createSeal } from '../../src/storage/seal.ts';
import { createAccountTestbed } from '../support/accounts.ts';
import type { CreateDatabase } from '../support/both-engines.ts';

const seal = createSeal('the secret of this installation, long enough');
const otherSeal = createSeal('the secret of another installation, as long');

export function secretsContract(create: CreateDatabase): void {
  it('seals signing secrets, each for its key, and never takes a signed key for an unsigned one', async () => {
    await using testbed = await createAccountTestbed(create);
    const { database } = testbed;
    const signingSecrets = createSigningSecrets(seal);
    const { keys } = createAccounts({ database, signingSecrets: async () => signingSecrets });
    const [one, two] = [await testbed.createKey(), await testbed.createKey()];
    const { signingSecret } = await keys.requireSignature(one.prefix);
    await keys.requireSignature(two.id);
    const rows = await database.queries.selectFrom('api_keys').selectAll().orderBy('id').execute();
    assert.ok(!JSON.stringify(rows).includes(signingSecret));
    const found = await createKeyLookup({ database, signingSecrets }).find(one.key);
    assert.equal(found?.signingSecret, signingSecret);
    await sealOldSecrets(database, seal);

    const another = { code: undefined, message: /sealed with another secret.*siann keys sign key_/ };
    for (const wrong of [createSigningSecrets(otherSeal), createSigningSecrets(undefined)])
      await assert.rejects(
        createKeyLookup({ database, signingSecrets: wrong }).find(one.key),
        another.message,
      );
    for (const wrong of [otherSeal, undefined])
      await assert.rejects(sealOldSecrets(database, wrong), another.message);
    // Whoever can write to the database moves the secret that they know to the key of somebody else.
    const known = rows.find(({ id }) => id === two.id)!.signing_secret;
    const moved = database.queries.updateTable('api_keys').set({ signing_secret: known });
    await moved.where('id', '=', one.id).execute();
    await assert.rejects(createKeyLookup({ database, signingSecrets }).find(one.key), another.message);
    await keys.revoke(one.id);
    await sealOldSecrets(database, seal);
  });

  it('seals what an older version kept readable, once', async () => {
    await using testbed = await createAccountTestbed(create);
    const { database, accounts } = testbed;
    const [key, revoked] = [await testbed.createKey(), await testbed.createKey()];
    const { signingSecret } = await accounts.keys.requireSignature(key.id);
    await accounts.keys.requireSignature(revoked.id);
    await accounts.keys.revoke(revoked.id);
    const read = async () =>
      (await database.queries.selectFrom('api_keys').select('signing_secret').orderBy('id').execute()).map(
        ({ signing_secret }) => signing_secret,
      );
    await sealOldSecrets(database, undefined);
    assert.ok((await read()).includes(signingSecret), 'without a secret it stays as it is');
    await sealOldSecrets(database, seal);
    const sealed = await read();
    assert.ok(
      sealed.every((kept) => kept?.startsWith('v1.')),
      JSON.stringify(sealed),
    );
    await sealOldSecrets(database, seal);
    assert.deepEqual(await read(), sealed);
    const lookup = createKeyLookup({ database, signingSecrets: createSigningSecrets(seal) });
    assert.equal((await lookup.find(key.key))?.signingSecret, signingSecret);
  });

  it('remembers used signatures over a restart, until they are too old', async () => {
    await using testbed = await createAccountTestbed(create);
    const { database, clock } = testbed;
    const start = () => createSignatureNotes({ database, clock });
    assert.equal(await start().noteOnce('one', 1000), true);
    assert.equal(await start().noteOnce('one', 1000), false);
    const both = await Promise.all([start().noteOnce('two', 1000), start().noteOnce('two', 1000)]);
    assert.deepEqual(both.sort(), [false, true]);
    clock.advance(1000);
    assert.equal(await start().noteOnce('one', 1000), true);
    const rows = await database.queries.selectFrom('signature_notes').select('name').execute();
    assert.deepEqual(rows, [{ name: 'one' }], 'what is too old is deleted');
  });

  it('deletes old entries of the ledger, and every total stays as it is', async () => {
    await using testbed = await createAccountTestbed(create);
    const { database, clock, views, readUsageReport } = testbed;
    const { key } = await testbed.createKey();
    const transcribe = async (seconds: number) => {
      const lease = await testbed.gate.admit(testbed.credential(key), 'connection');
      await lease.reserve(seconds + 5);
      if (seconds > 0) await lease.settle(seconds);
      await lease.close();
      return lease.admitted;
    };
    clock.set('2026-11-01T12:00:00Z');
    for (const seconds of [60, 0, 30]) await transcribe(seconds);
    clock.set('2026-11-20T12:00:00Z');
    const admitted = await transcribe(90);
    const range = { from: '2026-10-01', to: '2026-11-30' };
    const totals = async () =>
      JSON.stringify([await views.readUsage(admitted, range), await readUsageReport(range)]);
    const before = await totals();
    const entries = async () =>
      (await database.queries.selectFrom('ledger_entries').select('day').execute()).map(({ day }) => day);
    assert.equal(await pruneLedger({ database, clock, keepDays: 0 }), 0);
    assert.equal(await pruneLedger({ database, clock, keepDays: 19 }), 0, 'the nineteenth day is still kept');
    assert.equal((await entries()).length, 4);
    assert.equal(await pruneLedger({ database, clock, keepDays: 18 }), 3);
    assert.deepEqual(await entries(), ['2026-11-20']);
    assert.equal(await totals(), before);
    await transcribe(30);
    assert.equal((await views.readUsage(admitted)).currentMonth, 3.5);
  });

  it('deletes very many entries in small parts', async () => {
    await using testbed = await createAccountTestbed(create);
    const { database, clock } = testbed;
    const { id } = await testbed.createKey();
    const rows = Array.from({ length: 1201 }, (_, n) => ({
      request_id: `old ${n}`,
      kind: 'settle',
      key_id: id,
      day: '2026-01-01',
      milliseconds: 1,
      recorded_at: 'then',
    }));
    for (let first = 0; first < rows.length; first += 200)
      await database.queries
        .insertInto('ledger_entries')
        .values(rows.slice(first, first + 200))
        .execute();
    assert.equal(await pruneLedger({ database, clock, keepDays: 30 }), 1201);
  });
}
