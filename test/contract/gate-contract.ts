/** What the gate must do, whatever the database. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createAccounts } from '../../src/accounts/projects/accounts.ts';
import { plans } from '../../src/accounts/projects/plans.ts';
import { ServiceError } from '../../src/errors/service-error.ts';
import { openDatabase } from '../../src/storage/open-database.ts';
import { createAccountTestbed, sha256, sign } from '../support/accounts.ts';
import type { CreateDatabase } from '../support/both-engines.ts';

const withoutRates = Object.fromEntries(
  Object.entries(plans).map(([id, plan]) => [id, { ...plan, requestsPerSecond: 1000 }]),
) as typeof plans;

export function gateContract(create: CreateDatabase): void {
  it('admits a key of its environment and says whose it is', async () => {
    await using testbed = await createAccountTestbed(create);
    const key = await testbed.createKey();
    const lease = await testbed.gate.admit(testbed.credential(key.key), 'call');
    assert.deepEqual(lease.admitted, {
      account: { id: testbed.project.accountId, name: 'default' },
      project: { id: testbed.project.id, name: 'default' },
      key: { id: key.id, prefix: key.key.slice(0, 12), createdAt: '2026-11-15T12:00:00.000Z' },
      environment: 'test',
      plan: 'free',
    });
    await lease.close();
  });

  it('gives every wrong key the very same error', async () => {
    await using testbed = await createAccountTestbed(create);
    const [mine, revoked, live] = [
      await testbed.createKey(),
      await testbed.createKey(),
      await testbed.createKey('live'),
    ];
    await testbed.accounts.keys.revoke(revoked.id);
    const wrong = {
      missing: undefined,
      empty: 'Bearer ',
      otherScheme: `Basic ${mine.key}`,
      noScheme: mine.key,
      malformed: 'Bearer sk_test_short',
      withMore: `Bearer ${mine.key} x`,
      unknown: `Bearer sk_test_${'a'.repeat(32)}`,
      revoked: `Bearer ${revoked.key}`,
      otherEnvironment: `Bearer ${live.key}`,
      otherEnvironmentUnknown: `Bearer sk_live_${'a'.repeat(32)}`,
    };
    const errors = new Set<string>();
    for (const [index, authorization] of Object.values(wrong).entries()) {
      // Each from another address, so that none is slowed; with a project, an allow-list and a signature to trip over.
      const given = {
        authorization,
        address: `192.0.2.${index}`,
        projectId: 'proj_other',
        signature: 'v1=00',
      };
      const error = await refusal(testbed.gate.admit(testbed.credential('', given), 'connection'));
      errors.add(JSON.stringify({ ...error, message: error.message }));
    }
    assert.equal(errors.size, 1);
    assert.match([...errors][0]!, /"code":"invalid_api_key"/);
  });

  it('takes the project header only when it names the project of the key', async () => {
    await using testbed = await createAccountTestbed(create);
    const { key } = await testbed.createKey();
    const admit = (projectId: string) => testbed.gate.admit(testbed.credential(key, { projectId }), 'call');
    await (await admit(testbed.project.id)).close();
    const other = await testbed.accounts.projects.create({ name: 'other' });
    assert.equal((await refusal(admit(other.id))).code, 'project_not_found');
    assert.equal((await refusal(admit(''))).code, 'project_not_found');
  });

  it('admits only addresses on the allow-list of the project, from the next request on', async () => {
    await using testbed = await createAccountTestbed(create, { plans: withoutRates });
    const { key } = await testbed.createKey();
    const admit = (address: string) => testbed.gate.admit(testbed.credential(key, { address }), 'call');
    await admit('198.51.100.1');
    await testbed.accounts.projects.setAllow('default', ['192.0.2.0/24', '2001:db8::/32']);
    for (const address of ['192.0.2.200', '::ffff:192.0.2.1', '2001:db8::7']) await admit(address);
    for (const address of ['192.0.3.1', '::ffff:192.0.3.1', '2001:db9::7', 'nonsense'])
      assert.equal((await refusal(admit(address))).code, 'ip_not_allowed', address);
  });

  it('lets a plan through at its rate and says how long to wait', async () => {
    await using testbed = await createAccountTestbed(create);
    const { key } = await testbed.createKey();
    const admit = () => testbed.gate.admit(testbed.credential(key), 'call');
    for (let request = 0; request < 5; request += 1) await admit();
    const error = await refusal(admit());
    assert.equal(error.code, 'rate_limit_exceeded');
    assert.equal(error.retryAfterSeconds, 0.2);
    testbed.clock.advance(200);
    await admit();
    assert.equal((await refusal(admit())).code, 'rate_limit_exceeded');
    // Another key has a bucket of its own.
    await testbed.gate.admit(testbed.credential((await testbed.createKey()).key), 'call');
  });

  it('holds a permit for each connection until its lease is closed, and none for calls', async () => {
    await using testbed = await createAccountTestbed(create, { plans: withoutRates });
    const { key } = await testbed.createKey();
    const admit = (kind: 'call' | 'connection') => testbed.gate.admit(testbed.credential(key), kind);
    const [first] = [await admit('connection'), await admit('connection')];
    const error = await refusal(admit('connection'));
    assert.equal(error.code, 'concurrency_exceeded');
    assert.equal(error.retryAfterSeconds, 1);
    await (await admit('call')).close();
    await first.close();
    await first.close();
    await admit('connection');
    assert.equal((await refusal(admit('connection'))).code, 'concurrency_exceeded');
  });

  it('turns connections away when the quota is used up, until the month ends', async () => {
    await using testbed = await createAccountTestbed(create, { plans: withoutRates });
    const { key } = await testbed.createKey();
    const admit = (kind: 'call' | 'connection') => testbed.gate.admit(testbed.credential(key), kind);
    const lease = await admit('connection');
    await lease.reserve(60_000);
    assert.equal((await refusal(lease.reserve(60_001))).code, 'quota_exceeded');
    await lease.settle(60_000);
    await lease.close();
    const error = await refusal(admit('connection'));
    assert.equal(error.code, 'quota_exceeded');
    assert.equal(error.retryAfterSeconds, (Date.parse('2026-12-01') - testbed.clock.now()) / 1000);
    await (await admit('call')).close();
    // The refusals hold no permit.
    for (let request = 0; request < 3; request += 1) await refusal(admit('connection'));
    testbed.clock.set('2026-12-01T00:00:00Z');
    await (await admit('connection')).close();
  });

  it('verifies the signature of a call at once, and takes it only once', async () => {
    await using testbed = await createAccountTestbed(create, { plans: withoutRates });
    const { key, id } = await testbed.createKey();
    const { signingSecret } = await testbed.accounts.keys.requireSignature(id);
    const request = { method: 'GET', url: '/v1/usage?from=2026-11-01' };
    const timestamp = testbed.clock.now() / 1000;
    const admit = (given: object) =>
      testbed.gate.admit(testbed.credential(key, { ...request, ...given }), 'call');
    const good = sign(signingSecret, { ...request, timestamp });
    assert.equal((await admit(good)).signed, true);

    const bad = {
      replayed: good,
      missing: {},
      withoutTime: { ...good, signatureTimestamp: undefined },
      otherTime: { ...good, signatureTimestamp: String(timestamp + 1) },
      otherUrl: { ...sign(signingSecret, { ...request, timestamp: timestamp + 2 }), url: '/v1/usage' },
      otherMethod: { ...sign(signingSecret, { ...request, timestamp: timestamp + 3 }), method: 'POST' },
      otherSecret: sign('ss_guess', { ...request, timestamp }),
      withBody: sign(signingSecret, { ...request, timestamp, body: 'x' }),
      tooOld: sign(signingSecret, { ...request, timestamp: timestamp - 301 }),
      tooNew: sign(signingSecret, { ...request, timestamp: timestamp + 301 }),
      upperCase: { ...good, signature: good.signature!.toUpperCase() },
      short: { ...good, signature: 'v1=00' },
    };
    for (const [name, given] of Object.entries(bad))
      assert.equal((await refusal(admit(given))).code, 'invalid_signature', name);
    await admit(sign(signingSecret, { ...request, timestamp: timestamp - 300 }));
    await admit(sign(signingSecret, { ...request, timestamp: timestamp + 300 }));
  });

  it('verifies the signature of a connection when its body has ended, before anything can be settled', async () => {
    await using testbed = await createAccountTestbed(create, { plans: withoutRates });
    const { key, id } = await testbed.createKey();
    const { signingSecret } = await testbed.accounts.keys.requireSignature(id);
    const request = { method: 'POST', url: '/v1/audio/transcriptions' };
    const timestamp = testbed.clock.now() / 1000;
    const signed = sign(signingSecret, { ...request, body: 'audio', timestamp });
    const admit = () => testbed.gate.admit(testbed.credential(key, { ...request, ...signed }), 'connection');

    const lease = await admit();
    assert.equal(lease.signed, true);
    await lease.reserve(3);
    await assert.rejects(lease.settle(3), /before its body was verified/);
    assert.equal((await refusal(lease.verifyBody(sha256('other')))).code, 'invalid_signature');
    await lease.verifyBody(sha256('audio'));
    await lease.settle(3);
    await lease.close();

    const replay = await admit();
    assert.equal((await refusal(replay.verifyBody(sha256('audio')))).code, 'invalid_signature');
    await replay.close();
  });

  it('takes a token instead of the key that asked for it, once and for a minute', async () => {
    await using testbed = await createAccountTestbed(create, { plans: withoutRates });
    const { key, id } = await testbed.createKey();
    const { signingSecret } = await testbed.accounts.keys.requireSignature(id);
    let timestamp = testbed.clock.now() / 1000;
    const issue = async () => {
      const request = { method: 'POST', url: '/v1/speech/realtime/tokens' };
      const signed = sign(signingSecret, { ...request, timestamp: timestamp++ });
      const lease = await testbed.gate.admit(testbed.credential(key, { ...request, ...signed }), 'call');
      return lease.issueToken();
    };
    const admit = (streamToken: string, given: object = {}) =>
      testbed.gate.admit(testbed.credential(undefined, { streamToken, ...given }), 'connection');

    const { token, expiresAt } = await issue();
    assert.match(token, /^ek_[A-Za-z0-9]{32}$/);
    assert.equal(expiresAt.getTime(), testbed.clock.now() + 60_000);
    const lease = await admit(token);
    assert.equal(lease.admitted.key.id, id);
    assert.equal(lease.signed, false, 'no signature is asked for');
    await lease.settle(1);
    await lease.close();

    const late = await issue();
    const refused = {
      used: () => admit(token),
      unknown: () => admit(`ek_${'a'.repeat(32)}`),
      key: () => admit(key),
      otherEnvironment: async () => admit((await issue()).token, { environment: 'live' }),
      late: () => {
        testbed.clock.advance(60_000);
        return admit(late.token);
      },
      revoked: async () => {
        const { token } = await issue();
        await testbed.accounts.keys.revoke(id);
        return admit(token);
      },
    };
    for (const [name, attempt] of Object.entries(refused))
      assert.equal((await refusal(attempt())).code, 'invalid_api_key', name);
  });

  it('lets a signed request that was turned away come again as it is', async () => {
    await using testbed = await createAccountTestbed(create);
    const { key, id } = await testbed.createKey();
    const { signingSecret } = await testbed.accounts.keys.requireSignature(id);
    const request = { method: 'GET', url: '/v1/account' };
    const at = (timestamp: number) => sign(signingSecret, { ...request, timestamp });
    const now = testbed.clock.now() / 1000;
    const admit = (timestamp: number) =>
      testbed.gate.admit(testbed.credential(key, { ...request, ...at(timestamp) }), 'call');
    for (let second = 0; second < 5; second += 1) await admit(now + second);
    assert.equal((await refusal(admit(now + 5))).code, 'rate_limit_exceeded');
    testbed.clock.advance(1000);
    await admit(now + 5);
  });

  it('answers an address that keeps sending wrong keys ever later, and its valid keys as before', async () => {
    await using testbed = await createAccountTestbed(create);
    const { key } = await testbed.createKey();
    const wrong = () => timed(() => refusal(testbed.gate.admit(testbed.credential(undefined), 'call')));
    for (let tries = 0; tries < 5; tries += 1) await wrong();
    assert.ok((await wrong()) >= 95);
    assert.ok((await wrong()) >= 195);
    const slowed = wrong();
    const lease = await testbed.gate.admit(testbed.credential(key), 'call');
    const waited = await slowed;
    assert.ok(waited >= 395);
    await lease.close();
  });

  it('makes changes by another process count from the next request', async () => {
    await using testbed = await createAccountTestbed(create, { plans: withoutRates });
    await using elsewhere = await openDatabase({ url: testbed.url });
    const { keys, projects } = createAccounts({ database: elsewhere });
    const { key, id } = await testbed.createKey();
    const admit = (text: string) => testbed.gate.admit(testbed.credential(text), 'call');
    assert.equal((await admit(key)).admitted.plan, 'free');
    await projects.setPlan('default', 'enterprise');
    assert.equal((await admit(key)).admitted.plan, 'enterprise');
    const regenerated = await keys.regenerate(id);
    assert.equal((await refusal(admit(key))).code, 'invalid_api_key');
    assert.equal((await admit(regenerated.key)).admitted.key.id, id);
    await projects.delete('default');
    assert.equal((await refusal(admit(regenerated.key))).code, 'invalid_api_key');
  });

  it('refuses a key that has expired, and ends what it has going on', async () => {
    await using testbed = await createAccountTestbed(create, { plans: withoutRates });
    const expiresAt = new Date(testbed.clock.now() + 60_000).toISOString();
    const made = { project: testbed.project.id, environment: 'test', expiresAt };
    const { key } = await testbed.accounts.keys.create(made);
    const admit = () => testbed.gate.admit(testbed.credential(key), 'connection');
    const lease = await admit();
    assert.equal(lease.revoked.aborted, false);
    testbed.clock.advance(60_000);
    assert.equal((await refusal(admit())).code, 'invalid_api_key');
    while (!lease.revoked.aborted) await delay(20);
    assert.equal((lease.revoked.reason as ServiceError).code, 'invalid_api_key');
    await lease.close();
  });

  it('ends what a key has going on from an address that is no longer allowed', async () => {
    await using testbed = await createAccountTestbed(create, { plans: withoutRates });
    const { key } = await testbed.createKey();
    const admit = (address: string) => testbed.gate.admit(testbed.credential(key, { address }), 'connection');
    const [here, there] = [await admit('192.0.2.7'), await admit('198.51.100.7')];
    assert.deepEqual([here.revoked.aborted, there.revoked.aborted], [false, false]);
    await testbed.accounts.projects.setAllow(testbed.project.id, ['198.51.100.0/24']);
    while (!here.revoked.aborted) await delay(20);
    assert.equal((here.revoked.reason as ServiceError).code, 'ip_not_allowed');
    assert.equal(there.revoked.aborted, false);
    await here.close();
    await there.close();
  });

  it('holds what is going on to the quota of the plan that is in force', async () => {
    const free = { ...withoutRates.free, quotaMinutes: 1 };
    await using testbed = await createAccountTestbed(create, { plans: { ...withoutRates, free } });
    await testbed.accounts.projects.setPlan(testbed.project.id, 'enterprise');
    const { key } = await testbed.createKey();
    const lease = await testbed.gate.admit(testbed.credential(key), 'connection');
    assert.equal(lease.revoked.aborted, false);
    await lease.reserve(90);
    await lease.settleSoFar(45);
    await testbed.accounts.projects.setPlan(testbed.project.id, 'free');
    let refused: unknown;
    while (refused === undefined) {
      await delay(20);
      refused = await lease.reserve(100).catch((error) => error);
    }
    assert.equal((refused as ServiceError).code, 'quota_exceeded');
    await lease.reserve(60);
    await lease.settleSoFar(60);
    await testbed.accounts.projects.setPlan(testbed.project.id, 'enterprise');
    while ((await lease.reserve(1_000).catch(() => 'refused')) === 'refused') await delay(20);
    assert.equal(await lease.settleUpToQuota(1_000), 1_000);
    await lease.close();
  });

  it('lets a key do what its scopes name, also through a token, and a key without scopes everything', async () => {
    await using testbed = await createAccountTestbed(create, { plans: withoutRates });
    const make = (scopes?: string[]) =>
      testbed.accounts.keys.create({ project: testbed.project.id, environment: 'test', scopes });
    const [narrow, wide] = [await make(['realtime', 'account']), await make()];
    const admit = (key: string | undefined, given: object) =>
      testbed.gate.admit(testbed.credential(key, given), 'call');
    for (const scope of ['transcribe', 'realtime', 'jobs', 'account'] as const) {
      await (await admit(wide.key, { scope })).close();
      if (scope === 'realtime' || scope === 'account') await (await admit(narrow.key, { scope })).close();
      else {
        const error = await refusal(admit(narrow.key, { scope }));
        assert.deepEqual([error.code, error.status], ['insufficient_permission', 403]);
        assert.match(error.message, new RegExp(scope));
      }
    }
    await (await admit(narrow.key, {})).close();
    const lease = await admit(narrow.key, { scope: 'realtime' });
    const { token } = await lease.issueToken();
    const withToken = { streamToken: token, scope: 'transcribe' };
    assert.equal((await refusal(admit(undefined, withToken))).code, 'insufficient_permission');
  });

  it('takes the key before a roll until its time is over, and then only the new one', async () => {
    await using testbed = await createAccountTestbed(create, { plans: withoutRates });
    const { keys } = testbed.accounts;
    const first = await testbed.createKey();
    const admit = (key: string) => testbed.gate.admit(testbed.credential(key), 'call');
    const second = await keys.roll(first.id, 3_600_000);
    assert.equal(second.previousUntil, new Date(testbed.clock.now() + 3_600_000).toISOString());
    for (const { key } of [first, second]) assert.equal((await admit(key)).admitted.key.id, first.id);
    const lease = await testbed.gate.admit(testbed.credential(first.key), 'connection');
    assert.equal(lease.revoked.aborted, false);
    testbed.clock.advance(3_600_000);
    assert.equal((await refusal(admit(first.key))).code, 'invalid_api_key');
    while (!lease.revoked.aborted) await delay(20);
    await lease.close();
    await admit(second.key);

    const third = await keys.roll(first.id, 3_600_000);
    const fourth = await keys.roll(first.id, 3_600_000);
    assert.equal((await refusal(admit(second.key))).code, 'invalid_api_key', 'rolled away twice');
    await admit(third.key);
    await keys.revoke(first.id);
    for (const { key } of [third, fourth])
      assert.equal((await refusal(admit(key))).code, 'invalid_api_key', 'revoked');
    for (const graceMs of [0, -1, Number.NaN, 31 * 24 * 3_600_000])
      await assert.rejects(async () => keys.roll(second.id, graceMs), { code: 'invalid_value' });
  });

  it('remembers the last use of a key, whatever it was, to the minute', async () => {
    await using testbed = await createAccountTestbed(create, { plans: withoutRates });
    const { keys } = testbed.accounts;
    const { key, id } = await testbed.createKey();
    const lastUse = async (wanted: string | null) => {
      let seen = (await keys.find(id)).lastUsedAt;
      for (let tries = 0; seen !== wanted && tries < 100; tries += 1) {
        await delay(20);
        seen = (await keys.find(id)).lastUsedAt;
      }
      return seen;
    };
    const at = (milliseconds: number) => new Date(milliseconds).toISOString();
    assert.equal(await lastUse(null), null);
    const first = testbed.clock.now();
    await testbed.gate.admit(testbed.credential(key), 'call');
    assert.equal(await lastUse(at(first)), at(first));
    testbed.clock.advance(59_000);
    await testbed.gate.admit(testbed.credential(key), 'call');
    testbed.clock.advance(1_000);
    await refusal(testbed.gate.admit(testbed.credential(key, { projectId: 'other' }), 'call'));
    assert.equal(await lastUse(at(first)), at(first), 'what was refused is no use');
    await testbed.gate.admit(testbed.credential(key), 'call');
    assert.equal(await lastUse(at(first + 60_000)), at(first + 60_000));
  });

  it('tells work in progress within a second that its key is gone', async () => {
    await using testbed = await createAccountTestbed(create);
    await using elsewhere = await openDatabase({ url: testbed.url });
    const [gone, kept] = [await testbed.createKey(), await testbed.createKey()];
    const lease = await testbed.gate.admit(testbed.credential(gone.key), 'connection');
    const other = await testbed.gate.admit(testbed.credential(kept.key), 'connection');
    assert.deepEqual([lease.revoked.aborted, other.revoked.aborted], [false, false]);
    await createAccounts({ database: elsewhere }).keys.regenerate(gone.id);
    const untilAborted = async () => {
      while (!lease.revoked.aborted) await delay(20);
    };
    assert.ok((await timed(untilAborted)) < 1000);
    assert.equal((lease.revoked.reason as ServiceError).code, 'invalid_api_key');
    assert.equal(other.revoked.aborted, false);
    await lease.close();
    await other.close();
    assert.deepEqual(testbed.logged, []);
  });
}

async function refusal(promise: Promise<unknown>): Promise<ServiceError> {
  const error = await promise.then(
    () => assert.fail('It was let through.'),
    (reason) => reason,
  );
  assert.ok(error instanceof ServiceError, String(error));
  return error;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
