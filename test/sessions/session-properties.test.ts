import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { EndReason, SessionEvent } from '../../wire/stream-events.ts';
import { noise } from '../audio/fixtures.ts';
import { startSession, transcripts } from './session-harness.ts';

type Step =
  | { kind: 'audio'; bytes: number }
  | { kind: 'garbage'; bytes: number }
  | { kind: 'keepAlive' | 'finalize' | 'close' | 'empty' | 'wait' | 'revoke' }
  | { kind: 'end'; reason: EndReason };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 12, arbitrary: fc.record({ kind: fc.constant('audio' as const), bytes: fc.nat(70_000) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('garbage' as const), bytes: fc.nat(500) }) },
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constantFrom('keepAlive' as const, 'finalize' as const, 'wait' as const),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constantFrom('close' as const, 'empty' as const, 'revoke' as const) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('end' as const),
        reason: fc.constantFrom<EndReason>('draining', 'connection_lost', 'bad_message', 'frame_too_large'),
      }),
    },
  ),
  { maxLength: 40 },
);

test('whatever a client sends, its stream ends, its events are well-formed and its charge is right', async () => {
  await fc.assert(
    fc.asyncProperty(
      steps,
      fc.constantFrom('LINEAR16' as const, 'MULAW' as const, 'FLAC' as const),
      fc.constantFrom(8_000, 16_000, 44_100),
      fc.option(fc.integer({ min: 0, max: 40 }), { nil: undefined }),
      async (sequence, encoding, sampleRate, quotaSeconds) => {
        const revoked = new AbortController();
        const { session, events, account, ended } = startSession({
          config: { encoding, sampleRate },
          revoked: revoked.signal,
          ...(quotaSeconds !== undefined && { quotaSeconds }),
        });
        for (const step of sequence) await perform(step);
        session.close();
        const { reason } = await ended();
        assertWellFormed(events);
        const end = events.at(-1);
        assert(end?.type === 'session.end');
        assert.equal(end.reason, reason);
        assert.equal(end.billed_seconds, end.audio_seconds);
        assert(Math.abs(account.charged - end.billed_seconds) < 0.001);
        if (quotaSeconds !== undefined) assert(account.charged <= quotaSeconds);
        assert.equal(
          events.some(({ type }) => type === 'error'),
          !['closed_by_client', 'draining', 'connection_lost'].includes(reason),
        );

        async function perform(step: Step): Promise<void> {
          if (step.kind === 'audio') session.receiveAudio(new Uint8Array(step.bytes + 1));
          else if (step.kind === 'garbage') session.receiveAudio(noise(step.bytes + 1, step.bytes));
          else if (step.kind === 'empty') session.receiveAudio(new Uint8Array(0));
          else if (step.kind === 'wait') await new Promise((resolve) => setImmediate(resolve));
          else if (step.kind === 'revoke') revoked.abort();
          else if (step.kind === 'end') session.end(step.reason);
          else session[step.kind]();
        }
      },
    ),
    { numRuns: 300 },
  );
});

test('nothing is left behind when streams have ended', async () => {
  const before = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const revoked = new AbortController();
  for (let i = 0; i < 20; i++) {
    const { session, send, ended } = startSession({ revoked: revoked.signal });
    send(1);
    session.close();
    await ended();
  }
  const after = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  assert(after <= before, `${after - before} timers`);
});

function assertWellFormed(events: SessionEvent[]): void {
  assert.equal(events[0]?.type, 'session.begin');
  assert.equal(events.filter(({ type }) => type === 'session.begin').length, 1);
  assert.equal(events.filter(({ type }) => type === 'session.end').length, 1);
  const error = events.findIndex(({ type }) => type === 'error');
  assert(error === -1 || error === events.length - 2);
  let final = -1;
  let endSeconds = 0;
  for (const [index, event] of transcripts(events).entries()) {
    assert.equal(event.seq, index + 1);
    assert.equal(event.segment_id, final + 1, 'every segment has one final, the last of its events');
    assert(event.start >= endSeconds && event.end >= event.start, 'times go forward');
    if (!event.is_final) continue;
    final = event.segment_id;
    endSeconds = event.end;
  }
}
