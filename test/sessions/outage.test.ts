import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type PostgresServer, startPostgres } from '../../bench/servers/postgres.ts';
import { createAccountTestbed } from '../support/accounts.ts';
import { auditLedger } from '../support/audit-ledger.ts';
import { ofType, startSession, transcripts } from './session-harness.ts';

const server: PostgresServer | string = await startPostgres();

describe('a stream while PostgreSQL is away', { skip: typeof server === 'string' ? server : false }, () => {
  const postgres = server as PostgresServer;
  after(() => postgres[Symbol.asyncDispose]());

  async function startPaidSession({ creditSeconds }: { creditSeconds: number }) {
    const testbed = await createAccountTestbed(() => postgres.createDatabase());
    const { key, id: keyId } = await testbed.createKey();
    const lease = await testbed.gate.admit(testbed.credential(key), 'connection');
    const stream = startSession({ account: lease, limits: { billingStepSeconds: 1, creditSeconds } });
    return {
      ...stream,
      testbed,
      lease,
      keyId,
      end: () => ofType(stream.events, 'session.end')[0]!,
      /** For so long, at the pace of speech. */
      async speak(seconds: number) {
        for (let tenth = 0; tenth < seconds * 10; tenth += 1) {
          stream.send(0.1);
          await delay(100);
        }
      },
      [Symbol.asyncDispose]: () => testbed[Symbol.asyncDispose](),
    };
  }

  it('goes on and is charged once; may close meanwhile; is told to come back when it takes too long', async () => {
    await using patient = await startPaidSession({ creditSeconds: 120 });
    await using closing = await startPaidSession({ creditSeconds: 120 });
    await using impatient = await startPaidSession({ creditSeconds: 2 });
    const all = [patient, closing, impatient];
    await Promise.all(all.map(({ speak }) => speak(1)));
    await postgres.kill();

    const closed = closing.speak(1).then(() => {
      closing.session.close();
      return closing.ended();
    });
    const tooLong = Promise.all([impatient.ended(), impatient.speak(5)]);
    await patient.speak(5);
    assert.ok(patient.session.bufferedSeconds < 1, 'audio does not wait for the database');
    assert.equal((await closed).code, 1000);
    assert.equal(closing.end().billed_seconds, 2);
    assert.equal((await tooLong)[0].code, 1013);
    assert.equal(ofType(impatient.events, 'error')[0]!.error.code, 'overloaded');

    await postgres.start();
    await patient.speak(2.5);
    patient.session.close();
    assert.equal((await patient.ended()).code, 1000);
    const { audio_seconds, billed_seconds } = patient.end();
    assert.deepEqual([audio_seconds, billed_seconds], [8.5, 8.5]);
    const finals = transcripts(patient.events).filter((event) => event.is_final);
    assert.ok(finals.at(-1)!.end > 8, 'all of it was recognised');
    for (const { lease, testbed, keyId, end } of all) {
      await lease.close();
      const { usedMs, reservedMs, settled } = await auditLedger(testbed.database, keyId);
      assert.deepEqual([usedMs, reservedMs, settled.size], [end().billed_seconds * 1000, 0, 1]);
    }
  });
});
