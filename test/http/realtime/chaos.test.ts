/** A short version of `npm run bench:realtime -- --only chaos`. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { hardClients } from '../../../bench/realtime/hard-clients.ts';
import { leasesClosed } from '../../../bench/realtime/open-leases.ts';
import { runRandomStream } from '../../../bench/realtime/random-stream.ts';
import { compareCharges } from '../../../bench/realtime/stream-charges.ts';
import type { StreamTarget } from '../../../bench/realtime/stream-client.ts';
import type { StreamFate } from '../../../bench/realtime/stream-fate.ts';
import { createRandom } from '../../../evaluation/random.ts';
import { fixture } from '../../../evaluation/spoken-files.ts';
import type { Database } from '../../../src/storage/database.ts';
import { openDatabase } from '../../../src/storage/open-database.ts';
import { startService, type TestService } from '../../support/service.ts';

let service: TestService;
let target: StreamTarget;
before(async () => {
  service = await startService({ plan: 'professional', env: { SIANN_STREAM_IDLE_SECONDS: '2' } });
  target = { port: service.ports.live, ca: service.ca, key: service.keys.live };
});
after(() => service[Symbol.asyncDispose]());

const speech = fixture('speech-16k.wav').subarray(44);
const withDatabase = async <Result>(look: (database: Database) => Promise<Result>): Promise<Result> => {
  await using database = await openDatabase({ url: join(service.dataFolder, 'siann.db') });
  return await look(database);
};

async function assertWell(fates: StreamFate[]): Promise<void> {
  const faults = fates.filter(({ fault }) => fault !== undefined);
  assert.deepEqual(faults, []);
  assert.equal(await leasesClosed(target), true);
  assert.deepEqual(await compareCharges(withDatabase, fates), []);
  assert.deepEqual(
    service.logged.filter(({ level }) => Number(level) >= 50),
    [],
  );
}

test('difficult clients get a clear error or a correct transcript, and pay for what they sent', async () => {
  const fates = await Promise.all(
    Object.entries(hardClients(target, speech))
      .filter(([name]) => name !== 'a half-open connection')
      .map(([, run]) => run()),
  );
  await assertWell(fates);
});

test('a connection that is open on one side only is closed', async () => {
  const fate = await hardClients(target, speech)['a half-open connection']!();
  await assertWell([fate]);
});

test('a stream ends and leaves nothing behind, whatever its client does', async () => {
  const fates: StreamFate[] = [];
  let seed = 0;
  const run = async () => {
    while (seed < 60) fates.push(await runRandomStream(target, createRandom(seed++), speech));
  };
  await Promise.all(Array.from({ length: 4 }, run));
  assert.equal(fates.length, 60);
  assert.ok(new Set(fates.map(({ code }) => code)).size >= 4, 'every kind of end is among them');
  await assertWell(fates);
});
