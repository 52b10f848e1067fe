import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { temporarySqlite } from '../../bench/servers/temporary-database.ts';
import { ServiceError } from '../../src/errors/service-error.ts';
import { createAccountTestbed } from '../support/accounts.ts';
import { auditLedger } from '../support/audit-ledger.ts';
import { ofType, startSession, transcripts } from './session-harness.ts';

test('a stream begins with its settings and ends with what it cost', async () => {
  const { session, events, send, ended, account } = startSession({ config: { words: true } });
  send(5.5);
  session.close();
  assert.deepEqual(await ended(), { code: 1000, reason: 'closed_by_client' });
  const [begin] = ofType(events, 'session.begin');
  assert.equal(begin!.session_id, 'session-1');
  assert.deepEqual([begin!.config.words, begin!.limits.max_frame_bytes], [true, 262_144]);
  assert(Date.parse(begin!.expires_at) > Date.now() + 3 * 3600_000);
  const end = events.at(-1);
  assert.deepEqual(end, {
    type: 'session.end',
    reason: 'closed_by_client',
    audio_seconds: 5.5,
    billed_seconds: 5.5,
  });
  assert.equal(account.charged, 5.5);
  const finals = transcripts(events).filter(({ is_final }) => is_final);
  assert.deepEqual(
    finals.map(({ segment_id, text }) => [segment_id, text]),
    [
      [0, 'word0 word1 word2 word3'],
      [1, 'word4 word5'],
    ],
  );
});

test('an empty frame closes, and frames behind it count for nothing', async () => {
  const { session, events, send, ended } = startSession();
  send(1);
  session.receiveAudio(new Uint8Array(0));
  send(3);
  assert.equal((await ended()).code, 1000);
  assert.equal(ofType(events, 'session.end')[0]!.audio_seconds, 1);
});

test('a flood of finalize is answered a few times, and all that waits is short', async () => {
  const { session, events, send, ended } = startSession();
  send(1.5);
  for (let count = 0; count < 35_000; count++) session.finalize();
  assert.ok(session.waiting < 32, `${session.waiting} inputs and events wait`);
  send(1);
  session.finalize();
  session.close();
  await ended();
  const answers = transcripts(events).filter(({ from_finalize }) => from_finalize);
  assert.ok(answers.length < 32, `${answers.length} answers`);
  assert.equal(answers[0]!.text, 'word0 word1');
  assert.equal(answers.at(-1)!.end, 2.5, 'what was said after the flood is answered too');
});

test('a million frames of one byte are joined', async () => {
  const { session, events, ended } = startSession();
  const byte = new Uint8Array(1);
  for (let count = 0; count < 320_000; count++) session.receiveAudio(byte);
  assert.ok(session.waiting < 32, `${session.waiting} inputs and events wait`);
  session.close();
  await ended();
  assert.equal(ofType(events, 'session.end')[0]!.audio_seconds, 10);
});

test('finalize is answered, with what was said and also with nothing', async () => {
  const { session, events, send, ended } = startSession();
  send(1.5);
  session.finalize();
  session.finalize();
  session.close();
  await ended();
  const answers = transcripts(events).filter(({ from_finalize }) => from_finalize);
  assert.deepEqual(
    answers.map(({ text, segment_id }) => [text, segment_id]),
    [
      ['word0 word1', 0],
      ['', 1],
    ],
  );
});

test('audio is reserved ahead and charged behind, step by step', async () => {
  const { session, send, ended, account } = startSession();
  for (let i = 0; i < 50; i++) {
    send(1);
    await delay(1);
  }
  session.close();
  await ended();
  assert.equal(account.charged, 50);
  assert.deepEqual(account.charges, [15, 30, 45, 50]);
  assert.equal(account.reserved, 60);
});

test('when the quota ends, what was paid for is written and the rest is not recognised', async () => {
  const { events, send, ended, account } = startSession({ quotaSeconds: 17 });
  for (let i = 0; i < 20; i++) send(1);
  assert.deepEqual(await ended(), { code: 4429, reason: 'quota_exceeded' });
  assert.equal(account.charged, 17);
  const kinds = events.map(({ type }) => type);
  assert.deepEqual(kinds.slice(-3), ['transcript', 'error', 'session.end']);
  assert.match(transcripts(events).at(-1)!.text, /word16$/);
  assert.deepEqual(
    ofType(events, 'warning').map(({ code }) => code),
    ['quota_ends_soon'],
  );
  assert.equal(ofType(events, 'error')[0]!.error.code, 'quota_exceeded');
});

test('a key that is revoked ends its stream at once, and what was recognised is charged', async () => {
  const revoked = new AbortController();
  const { events, send, ended, account } = startSession({ revoked: revoked.signal });
  send(2);
  await delay(20);
  revoked.abort();
  send(2);
  assert.deepEqual(await ended(), { code: 4401, reason: 'key_revoked' });
  assert.equal(ofType(events, 'error')[0]!.error.code, 'invalid_api_key');
  assert.equal(account.charged, 2);
  const gone = startSession({ revoked: AbortSignal.abort() });
  assert.equal((await gone.ended()).code, 4401);
});

test('a client that sends nothing is warned, then left; keepalives keep it', async () => {
  const limits = { idleWarningSeconds: 0.1, idleSeconds: 0.2 };
  const kept = startSession({ limits });
  const left = startSession({ limits });
  const keeping = setInterval(() => kept.session.keepAlive(), 30);
  assert.deepEqual(await left.ended(), { code: 4408, reason: 'idle' });
  assert.deepEqual(
    left.events.slice(1).map(({ type }) => type),
    ['warning', 'error', 'session.end'],
  );
  await delay(150);
  assert.deepEqual(ofType(kept.events, 'warning'), []);
  clearInterval(keeping);
  assert.equal((await kept.ended()).code, 4408);
});

test('a client is not idle while what it sent is still being worked on', async () => {
  const limits = { idleWarningSeconds: 0.05, idleSeconds: 0.1 };
  const { session, send, ended } = startSession({ limits, secondTakesMs: 100 });
  for (let i = 0; i < 10; i++) send(0.5);
  await delay(300);
  session.close();
  assert.equal((await ended()).code, 1000);
});

test('a stream that lasts too long is warned, gets its finals and ends', async () => {
  const { events, send, ended } = startSession({
    limits: { maxSessionSeconds: 0.2, sessionWarningSeconds: 0.1 },
  });
  send(2);
  assert.deepEqual(await ended(), { code: 4409, reason: 'session_too_long' });
  assert.equal(ofType(events, 'warning')[0]!.code, 'session_ends_soon');
  assert.equal(transcripts(events).at(-1)!.is_final, true);
});

test('audio far ahead of real time is warned about, then ends the stream', async () => {
  const { events, session, send, ended } = startSession({ secondTakesMs: 1000 });
  for (let i = 0; i < 25; i++) send(1);
  assert(session.bufferedSeconds > 24, `${session.bufferedSeconds}`);
  await delay(5);
  assert.equal(ofType(events, 'warning')[0]!.code, 'audio_ahead_of_real_time');
  for (let i = 0; i < 10; i++) send(1);
  assert.deepEqual(await ended(), { code: 4429, reason: 'audio_too_far_ahead' });
  assert.equal(ofType(events, 'error').length, 1);
});

test('a slow recogniser loses nothing and ends nothing when audio comes at its pace', async () => {
  const limits = { warnBufferedSeconds: 0.05, maxBufferedSeconds: 0.1 };
  const { events, session, send, ended } = startSession({ limits, secondTakesMs: 10_000 });
  for (let i = 0; i < 20; i++) {
    send(0.02);
    await delay(22);
  }
  assert(session.bufferedSeconds > 0.1);
  session.close();
  assert.equal((await ended()).code, 1000);
  assert.equal(ofType(events, 'session.end')[0]!.audio_seconds, 0.4);
});

test('a service that stops lets a stream have its finals', async () => {
  const { events, session, send, ended } = startSession();
  send(2.5);
  session.end('draining');
  assert.deepEqual(await ended(), { code: 1001, reason: 'draining' });
  assert.equal(transcripts(events).at(-1)!.text, 'word0 word1 word2');
  assert.equal(ofType(events, 'warning')[0]!.code, 'draining');
  assert.equal(ofType(events, 'error').length, 0);
});

test('a connection that is lost while finals are being made stops the work', async () => {
  let pushed = 0;
  let stopPushing = () => {};
  const recogniser = {
    open: () => ({
      push: () => {
        pushed++;
        return new Promise<void>((resolve) => {
          stopPushing = resolve;
        });
      },
      finalize: () => assert.fail('nobody waits for finals any more'),
      doneSeconds: 0,
      abort: async () => stopPushing(),
    }),
  };
  const { events, session, send, ended } = startSession({ recogniser });
  for (let i = 0; i < 20; i++) send(1);
  session.close();
  while (pushed === 0) await delay(1);
  session.end('connection_lost');
  assert.equal((await ended()).reason, 'connection_lost');
  assert.equal(pushed, 1, 'audio that waited was not recognised');
  assert.equal(ofType(events, 'session.end')[0]!.billed_seconds, 1);
});

test('an error from outside is said as it is', async () => {
  const { events, session, ended } = startSession();
  session.end('bad_message', new ServiceError('invalid_value', { message: 'This is no JSON. Send JSON.' }));
  assert.deepEqual(await ended(), { code: 1007, reason: 'bad_message' });
  assert.equal(ofType(events, 'error')[0]!.error.code, 'invalid_value');
  assert.equal(ofType(events, 'error')[0]!.error.message, 'This is no JSON. Send JSON.');
});

test('bytes that are no FLAC end the stream with a sentence, even when the client has closed', async () => {
  for (const close of [false, true]) {
    const { events, session, ended } = startSession({ config: { encoding: 'FLAC' } });
    session.receiveAudio(new TextEncoder().encode('RIFF and so on, for a while'));
    if (close) session.close();
    const { code, reason } = await ended();
    assert.deepEqual([code, reason], [1003, 'bad_audio']);
    assert.match(ofType(events, 'error')[0]!.error.message, /FLAC header\. Send/);
  }
});

test('a recogniser that fails ends the stream as our own fault, and what was recognised is charged', async () => {
  const recogniser = {
    open: () => ({
      push: async () => {
        throw new Error('secret');
      },
      finalize: async () => {},
      doneSeconds: 0,
      abort: async () => {},
    }),
  };
  const { events, faults, send, ended } = startSession({ recogniser });
  send(1);
  assert.deepEqual(await ended(), { code: 1011, reason: 'internal_error' });
  assert(!JSON.stringify(events).includes('secret'));
  assert.deepEqual(faults, ['recognition: secret']);
});

test('a charge that fails ends the stream as our own fault', async () => {
  const account = {
    reserve: async () => {},
    settleSoFar: async () => {},
    owe: async () => {},
    settleUpToQuota: async () => {
      throw new Error('no such table');
    },
  };
  const { events, faults, session, send, ended } = startSession({ account });
  send(1);
  session.close();
  assert.deepEqual(await ended(), { code: 1011, reason: 'internal_error' });
  assert.equal(ofType(events, 'session.end')[0]!.billed_seconds, 0);
  assert.deepEqual(faults, ['billing: no such table']);
});

test('finals are written without a speaker when telling speakers apart fails, and the fault is reported', async () => {
  const speakers = {
    add: async () => {
      throw new Error('no such cluster');
    },
    labelOf: () => 0,
    revisions: () => [],
    speakers: 0,
  };
  const { events, faults, session, send, ended } = startSession({ speakers });
  send(6);
  session.finalize();
  session.close();
  assert.deepEqual(await ended(), { code: 1000, reason: 'closed_by_client' });
  const finals = transcripts(events).filter(({ is_final }) => is_final);
  assert.deepEqual(
    finals.map(({ segment_id, text, speaker }) => [segment_id, text, speaker]),
    [
      [0, 'word0 word1 word2 word3', undefined],
      [1, 'word4 word5', undefined],
    ],
  );
  assert.deepEqual(faults, ['speakers: no such cluster', 'speakers: no such cluster']);
});

test('speakers that cannot be revised are reported, and cost no final', async () => {
  const speakers = {
    add: async () => {},
    labelOf: () => 0,
    revisions: () => {
      throw new Error('no such label');
    },
    speakers: 1,
  };
  const { events, faults, session, send, ended } = startSession({ speakers });
  send(6);
  session.close();
  await ended();
  const finals = transcripts(events).filter(({ is_final }) => is_final);
  assert.deepEqual(
    finals.map(({ segment_id, speaker }) => [segment_id, speaker]),
    [
      [0, 0],
      [1, 0],
    ],
  );
  assert.deepEqual(faults, ['speakers: no such label', 'speakers: no such label']);
});

test('speakers are told for finals, and corrected when more is known', async () => {
  let calls = 0;
  const speakers = {
    add: async () => {
      await delay(5);
    },
    labelOf: () => calls % 2,
    revisions() {
      calls++;
      return calls === 2 ? [{ startSeconds: 0, endSeconds: 4, speaker: 1 }] : [];
    },
    speakers: 2,
  };
  const { events, session, send, ended } = startSession({ speakers });
  send(6);
  session.close();
  await ended();
  const finals = transcripts(events).filter(({ is_final }) => is_final);
  assert.deepEqual(
    finals.map(({ speaker }) => speaker),
    [0, 1],
  );
  assert.deepEqual(ofType(events, 'speaker.revision'), [
    { type: 'speaker.revision', revisions: [{ segment_id: 0, speaker: 1 }] },
  ]);
  assert.equal(ofType(events, 'session.end')[0]!.num_speakers, 2);
});

test('the ledger has every second of a stream once, also when its process dies on the way', async () => {
  await using testbed = await createAccountTestbed(temporarySqlite);
  const { key, id: keyId } = await testbed.createKey();
  const lease = await testbed.gate.admit(testbed.credential(key), 'connection');
  const { session, send, ended } = startSession({ account: lease });
  for (let i = 0; i < 40; i++) {
    send(1);
    while (session.bufferedSeconds > 0) await delay(1);
  }
  const { usedMs } = await auditLedger(testbed.database, keyId);
  assert(usedMs >= 25_000 && usedMs <= 40_000, `${usedMs} ms charged before a crash`);
  session.close();
  await ended();
  await lease.close();
  const after = await auditLedger(testbed.database, keyId);
  assert.deepEqual([after.usedMs, after.reservedMs], [40_000, 0]);
});
