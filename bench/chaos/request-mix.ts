import type { Random } from '../../evaluation/random.ts';
import type { Caller } from './caller.ts';
import { badKinds, sendAndLeave, sendBad, sendFile } from './file-requests.ts';
import { speakLive } from './live-request.ts';
import type { Outcome } from './outcome.ts';
import { createSamples, createSpokenSentence, type KnownSample, type Sample } from './samples.ts';

export type RequestMix = {
  /** What was asked in calm to learn the right transcripts. */
  calm: Outcome[];
  pick(random: Random): { kind: string; run(caller: Caller): Promise<Outcome> };
  /** One plain request. */
  ask(caller: Caller): Promise<Outcome>;
};

/** How often each kind comes, in a hundred. */
const shares = { file: 50, long: 8, streamed: 12, live: 10, cancelled: 10, bad: 10 };
const longestBeforeLeavingMs = 1_500;

/** Learns from the service in calm what is right. */
export async function createRequestMix(
  callCalmly: () => Caller,
  kinds: 'all' | 'short' = 'all',
): Promise<RequestMix> {
  const samples = await createSamples();
  const longOnes = kinds === 'all' ? samples.long : [];
  const speech = await createSpokenSentence();
  const calm: Outcome[] = [];
  const learn = async (sample: Sample): Promise<KnownSample> => {
    const caller = callCalmly();
    const { status, body, requestId } = await caller.send(sample.bytes, caller.key.key);
    if (status !== 200) throw new Error(`${sample.name} in calm: ${body}`);
    const { text, duration } = JSON.parse(body);
    const milliseconds = Math.round(duration * 1000);
    const facts = { kind: 'file', keyId: caller.key.id, audioMs: milliseconds };
    calm.push({ ...facts, end: 'right', requestId, toldMs: milliseconds });
    return { ...sample, text, milliseconds };
  };
  const short: KnownSample[] = [];
  const long: KnownSample[] = [];
  for (const sample of samples.short) short.push(await learn(sample));
  for (const sample of longOnes) long.push(await learn(sample));
  const live = await speakLive(callCalmly(), speech);
  if (live.end !== 'right') throw new Error(`A live stream in calm: ${live.detail}`);
  calm.push(live);

  const runs: Record<keyof typeof shares, (random: Random) => (caller: Caller) => Promise<Outcome>> = {
    file: (random) => (caller) => sendFile(caller, random.pick(short)),
    long: (random) => (caller) => sendFile(caller, random.pick(long.length > 0 ? long : short)),
    streamed: (random) => (caller) => sendFile(caller, random.pick([...short, ...long]), true),
    live: () => (caller) => speakLive(caller, speech, live.detail),
    cancelled: (random) => (caller) =>
      sendAndLeave(caller, random.pick([...short, ...long]), random.below(longestBeforeLeavingMs)),
    bad: (random) => (caller) => sendBad(caller, random.pick(short), random.pick(badKinds)),
  };
  const hundred = Object.entries(shares).flatMap(([kind, share]) =>
    Array<keyof typeof shares>(share).fill(kind as keyof typeof shares),
  );
  return {
    calm,
    pick(random) {
      const kind = random.pick(hundred);
      return { kind, run: runs[kind](random) };
    },
    ask: (caller) => sendFile(caller, short[0]!),
  };
}
