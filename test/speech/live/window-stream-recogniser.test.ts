import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { pcmSampleRate } from '../../../src/audio/pcm.ts';
import type { Priority, RunOptions } from '../../../src/pool/dispatcher.ts';
import type { RecognitionEvent, StreamOptions } from '../../../src/speech/live/stream-recogniser.ts';
import { createWindowStreamRecogniser } from '../../../src/speech/live/window-stream-recogniser.ts';
import { voiceFrameSamples } from '../../../src/speech/windows/voice/voice-activity.ts';
import type { WindowJob, WindowResult } from '../../../src/speech/windows/window-messages.ts';
import { recognisedSegment, recognisedWindow } from '../recognised.ts';
import { scriptedVoice } from '../voice-script.ts';

const framesPerSecond = pcmSampleRate / voiceFrameSamples;

test('speech is shown while it goes on, and is final once the speaker pauses', async () => {
  const { events, jobs } = await recogniseAll(said([0.5, 3, 1.5]));
  const kinds = events.map((each) => each.type).filter((type, index, all) => type !== all[index - 1]);
  assert.deepEqual(kinds, ['speech_started', 'partial', 'final']);
  const final = finalsOf(events)[0]!;
  assert.equal(final.speechFinal, true);
  near(final.startSeconds, 0.5);
  near(final.endSeconds, 3.5);
  assert(jobs.filter(({ job }) => job.urgency === 'partial').length >= 3);
  assert(jobs.every(({ priority }) => priority === 'realtime'));
});

test('the final is begun in a pause, before it is known whether the utterance is over', async () => {
  const { jobs, events } = await recogniseAll(said([0.5, 2, 1.5]));
  const careful = jobs.filter(({ job }) => job.urgency === 'final');
  assert.equal(careful.length, 1, 'what was recognised speculatively is used');
  const trailing = careful[0]!.job.audio.length / pcmSampleRate - 2.2;
  assert(trailing < 0.4, `${trailing} s of silence were waited for`);
  assert.equal(finalsOf(events).length, 1);
});

test('a short pause is not the end: what was recognised speculatively becomes a partial', async () => {
  const { events } = await recogniseAll(said([0.5, 1, 0.35, 1, 1.5]));
  const finals = finalsOf(events);
  assert.equal(finals.length, 1);
  near(finals[0]!.endSeconds, 2.85);
});

test('how long a pause ends an utterance is for the client to say', async () => {
  const voice = said([0.5, 1, 0.35, 1, 6]);
  assert.equal(finalsOf((await recogniseAll(voice, { endpointingMs: 200 })).events).length, 2);
  assert.equal(finalsOf((await recogniseAll(voice, { endpointingMs: 10 })).events).length, 2);
  assert.equal(finalsOf((await recogniseAll(voice, { endpointingMs: 5000 })).events).length, 1);
});

test('what is recognised earlier is the draft of what is recognised later', async () => {
  const { jobs } = await recogniseAll(said([0.5, 4, 1.5]));
  assert.deepEqual(jobs[0]!.job.draft, []);
  for (const [index, { job }] of jobs.entries())
    if (index > 0) assert.deepEqual(job.draft, [jobs[index - 1]!.job.audio.length]);
});

test('one window at a time, and a partial is abandoned for the final', async () => {
  const { jobs, events } = await recogniseAll(said([0.5, 1.2, 1.5]), {}, { partialsHang: true });
  assert.equal(finalsOf(events).length, 1);
  assert.deepEqual(
    jobs.map(({ job }) => job.urgency),
    ['partial', 'final'],
  );
  assert(jobs.every(({ running }) => running === 1));
});

test('speech without a pause is cut where it is quietest, and nothing is lost or recognised twice', async () => {
  const voice = said([0.5, 40, 1]);
  const { events, voiced } = await recogniseAll(voice, { interimResults: false });
  const finals = finalsOf(events);
  assert(finals.length >= 3);
  assert.deepEqual(
    finals.map(({ speechFinal }) => speechFinal),
    finals.map((_, index) => index === finals.length - 1),
  );
  assertCovered(finals, voiced);
});

test('finalize makes final what was said so far, and speech goes on behind it', async () => {
  const { events, voiced } = await recogniseAll(said([0.5, 3, 1]), {}, { finalizeAt: [2] });
  const finals = finalsOf(events);
  assert.deepEqual(
    finals.map(({ fromFinalize }) => fromFinalize),
    [true, false],
  );
  assertCovered(finals, voiced);
});

test('the model is told what was said just before, and asked again when it only repeats that', async () => {
  const { jobs, events } = await recogniseAll(said([0.5, 1, 0.7, 2, 1, 2, 4, 2, 1]), {
    interimResults: false,
  });
  assert.equal(finalsOf(events).length, 4);
  const told = jobs.map(({ job }) => job.promptTokens.length > 0);
  assert.deepEqual(
    told,
    [false, true, true, false, false],
    'the third repeats the second, the fourth comes much later',
  );
});

test('a window that fails ends the stream', async () => {
  const failing = recogniseAll(said([0.5, 1, 2]), {}, { fail: new Error('the process died twice') });
  await assert.rejects(failing, /died twice/);
});

test('no event comes, and nothing is running, after a stream was stopped', async () => {
  const events: RecognitionEvent[] = [];
  const signals: AbortSignal[] = [];
  const stream = createWindowStreamRecogniser({
    dispatcher: {
      run: (_job: WindowJob, { signal }: RunOptions) =>
        new Promise<WindowResult>((_resolve, reject) => {
          signals.push(signal!);
          signal!.addEventListener('abort', () => reject(signal!.reason));
        }),
      async [Symbol.asyncDispose]() {},
    },
    voice: scriptedVoice(said([0.1, 3])),
    tokenisePrompt: async () => [],
    taiwanese: true,
  }).open({ ...plain, onEvent: (each) => events.push(each) });
  await stream.push(numberedSamples(2 * pcmSampleRate));
  const finalizing = stream.finalize();
  await stream.abort();
  await finalizing;
  assert(signals.length > 0 && signals.every(({ aborted }) => aborted));
  assert.deepEqual(
    events.map(({ type }) => type),
    ['speech_started'],
  );
});

test('a model without Taiwanese says so', () => {
  const recogniser = createWindowStreamRecogniser({
    dispatcher: { run: () => assert.fail(), async [Symbol.asyncDispose]() {} },
    voice: scriptedVoice([]),
    tokenisePrompt: async () => [],
    taiwanese: false,
  });
  const open = () => recogniser.open({ ...plain, language: 'nan-TW', onEvent: () => {} });
  assert.throws(open, { code: 'invalid_value', param: 'language' });
});

test('whoever speaks and pauses how they like, every voiced moment is in exactly one final, in order', async () => {
  const lengths = fc.array(fc.double({ min: 0.05, max: 9, noNaN: true }), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(lengths, fc.constantFrom(10, 300, 500, 2000), async (seconds, endpointingMs) => {
      const { events, voiced } = await recogniseAll(
        said(seconds),
        { endpointingMs, interimResults: false },
        { quick: true },
      );
      const finals = finalsOf(events);
      assertCovered(finals, voiced);
      const started = events.filter(({ type }) => type === 'speech_started').length;
      assert.equal(finals.filter(({ speechFinal }) => speechFinal).length, started);
    }),
    { numRuns: 15 },
  );
});

type Final = Extract<RecognitionEvent, { type: 'final' }>;

const plain: Omit<StreamOptions, 'onEvent'> = {
  language: 'en-US',
  hotwords: [],
  endpointingMs: 500,
  interimResults: true,
  words: false,
  requestId: 'a',
};

/** Silence, speech, silence … each so many seconds long, as a voice detector would have it. */
function said(seconds: number[]): number[] {
  return seconds.flatMap((length, index) =>
    Array.from({ length: Math.round(length * framesPerSecond) }, (_, frame) =>
      index % 2 === 0 ? 0.01 : frame % 23 === 22 ? 0.6 : 0.99,
    ),
  );
}

type Script = {
  /** Partials are never answered, only abandoned. */
  partialsHang?: boolean;
  quick?: boolean;
  finalizeAt?: number[];
  fail?: Error;
};

/** Streams audio in 32 ms steps; every window is "recognised" as numbered words, one for each half second. */
async function recogniseAll(voice: number[], options: Partial<StreamOptions> = {}, script: Script = {}) {
  const audio = numberedSamples(voice.length * voiceFrameSamples);
  const events: RecognitionEvent[] = [];
  const jobs: { job: WindowJob; priority: Priority; running: number }[] = [];
  let running = 0;
  const stream = createWindowStreamRecogniser({
    dispatcher: {
      async run(job: WindowJob, { signal, priority }: RunOptions): Promise<WindowResult> {
        if (script.fail) throw script.fail;
        running++;
        jobs.push({ job, priority, running });
        if (script.partialsHang && job.urgency === 'partial') await aborted(signal!);
        running--;
        signal?.throwIfAborted();
        const words = Array.from(
          { length: Math.ceil(job.audio.length / 8000) },
          (_, index) => `word${index}`,
        );
        const end = job.audio.length / pcmSampleRate;
        const segment = recognisedSegment({ text: words.join(' '), endSeconds: end });
        return { recognised: recognisedWindow([segment], { tokens: [job.audio.length] }) };
      },
      async [Symbol.asyncDispose]() {},
    },
    voice: scriptedVoice(voice),
    tokenisePrompt: async () => [],
    taiwanese: true,
    now: () => 0, // as if recognition took no time, so that partials come as often as they may
  }).open({ ...plain, ...options, onEvent: (each) => events.push(each) });
  for (let at = 0; at < audio.length; at += voiceFrameSamples) {
    await stream.push(audio.slice(at, at + voiceFrameSamples));
    if (
      script.finalizeAt?.some(
        (seconds) => at <= seconds * pcmSampleRate && at + voiceFrameSamples > seconds * pcmSampleRate,
      )
    )
      await stream.finalize();
    if (!script.quick) await new Promise((resolve) => setImmediate(resolve));
  }
  await stream.finalize();
  assert.equal(stream.doneSeconds, audio.length / pcmSampleRate);
  await stream.abort();
  return { events, jobs, voiced: { audio, voice } };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

function finalsOf(events: RecognitionEvent[]): Final[] {
  return events.filter((each): each is Final => each.type === 'final');
}

/** Every sample is another number. */
function numberedSamples(count: number): Float32Array {
  return Float32Array.from({ length: count }, (_, index) => index / 2 ** 22);
}

/** Finds each window's samples in the stream by their values; voiced frames of real speech must lie in one window each. */
function assertCovered(finals: Final[], { audio, voice }: { audio: Float32Array; voice: number[] }): void {
  const times = new Uint8Array(audio.length);
  let last = -1;
  for (const final of finals) {
    for (const sample of final.audio) {
      const index = sample * 2 ** 22;
      assert(index > last, 'windows go forward');
      times[index] = times[index]! + 1;
      last = index;
    }
  }
  let run: number[] = [];
  for (let frame = 0; frame <= voice.length; frame++) {
    if ((voice[frame] ?? 0) >= 0.5) {
      run.push(frame);
      continue;
    }
    // Shorter bursts than this are no speech.
    if (run.length >= 4)
      for (const each of run)
        assert.equal(times[each * voiceFrameSamples], 1, `frame ${each} of ${voice.length}`);
    run = [];
  }
}

function near(actual: number, expected: number): void {
  assert(Math.abs(actual - expected) < 0.05, `${actual} is not ${expected}`);
}
