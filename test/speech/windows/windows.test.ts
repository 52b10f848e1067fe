import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Pcm, pcmSampleRate } from '../../../src/audio/pcm.ts';
import { SpeechSpanTracker } from '../../../src/speech/windows/speech-spans.ts';
import { type SpeechWindow, toRecordingTime } from '../../../src/speech/windows/speech-window.ts';
import { type PackOptions, packWindows } from '../../../src/speech/windows/windows.ts';
import { openVoiceActivity } from '../voice-graph.ts';
import { inChunks, numberedSamples, scriptedVoice } from '../voice-script.ts';
import { readFixture, readSentenceTimes, silence, toneMusic } from '../voice-sounds.ts';

const framesPerSecond = pcmSampleRate / 512;

/** Runs of speech, doubt and silence, up to some minutes; the last frame may be partial. */
const recordings = fc
  .record({
    runs: fc.array(
      fc.tuple(fc.integer({ min: 1, max: 200 }), fc.constantFrom(0, 0.02, 0.3, 0.4, 0.6, 0.9, 1)),
      { minLength: 1, maxLength: 40, size: 'max' },
    ),
    missing: fc.integer({ min: 0, max: 511 }),
    maxWindowSeconds: fc.integer({ min: 4, max: 29 }),
  })
  .map(({ runs, missing, maxWindowSeconds }) => {
    const probabilities = runs.flatMap(([count, probability]) => new Array<number>(count).fill(probability));
    return {
      probabilities,
      samples: numberedSamples(probabilities.length * 512 - missing),
      maxWindowSeconds,
    };
  });

test('every voiced sample is in exactly one window, with the audio of that time, and windows go forward', async () => {
  await fc.assert(
    fc.asyncProperty(recordings, async ({ probabilities, samples, maxWindowSeconds }) => {
      const windows = await pack(samples, probabilities, { maxWindowSeconds });
      const covered = new Uint8Array(samples.length);
      let reached = 0;
      for (const [index, window] of windows.entries()) {
        assert.equal(window.index, index);
        assert(window.cut !== 'end' || index === windows.length - 1);
        assert(window.audio.length <= maxWindowSeconds * pcmSampleRate);
        for (const { start, audio } of piecesOf(window)) {
          assert(start >= reached);
          reached = start + audio.length;
          assert.deepEqual(audio, samples.subarray(start, reached));
          covered.fill(1, start, reached);
        }
      }
      const tracker = new SpeechSpanTracker();
      const spans = [...tracker.push(Float32Array.from(probabilities)), ...tracker.end(samples.length)];
      for (const { speechStart, speechEnd } of spans) {
        assert.equal(covered.subarray(speechStart, speechEnd).indexOf(0), -1);
      }
      assert.equal(windows.length > 0, spans.length > 0);
    }),
    { numRuns: 60 },
  );
});

test('a time in a window is exact on every sample and never goes backward', async () => {
  await fc.assert(
    fc.asyncProperty(recordings, async ({ probabilities, samples, maxWindowSeconds }) => {
      for (const window of await pack(samples, probabilities, { maxWindowSeconds })) {
        let offset = 0;
        for (const { start, audio } of piecesOf(window)) {
          for (const at of [0, audio.length >> 1, audio.length - 1]) {
            const time = toRecordingTime(window, (offset + at) / pcmSampleRate);
            assert(Math.abs(time - (start + at) / pcmSampleRate) < 1e-6);
          }
          offset += audio.length;
        }
        let before = toRecordingTime(window, -1);
        for (let seconds = 0; seconds < maxWindowSeconds + 1; seconds += 0.05) {
          const time = toRecordingTime(window, seconds);
          assert(time >= before);
          before = time;
        }
      }
    }),
    { numRuns: 30 },
  );
});

test('the windows do not depend on how the audio arrives', async () => {
  const sizes = fc.array(fc.integer({ min: 300, max: 40_000 }), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(recordings, sizes, async ({ probabilities, samples, maxWindowSeconds }, chunks) => {
      const expected = await pack(samples, probabilities, { maxWindowSeconds });
      assert.deepEqual(await pack(samples, probabilities, { maxWindowSeconds }, chunks), expected);
    }),
    { numRuns: 20 },
  );
});

test('a recording without speech has no windows', async () => {
  assert.deepEqual(await pack(silence(100), script([100, 0])), []);
  assert.deepEqual(await pack(silence(0), []), []);
});

test('a word every twenty seconds fills one window after many minutes', async () => {
  const probabilities = script(
    ...new Array(20)
      .fill([
        [0.5, 1],
        [19.5, 0],
      ])
      .flat(),
  );
  const [window, ...others] = await pack(numberedSamples(probabilities.length * 512), probabilities);
  assert.equal(others.length, 0);
  assert.equal(window!.pieces.length, 20);
  assert(window!.audio.length < 27 * pcmSampleRate);
});

test('a short silence is kept whole, a long one is shortened to 0.8 s', async () => {
  const probabilities = script([3, 1], [0.9, 0], [3, 1], [5, 0], [3, 1]);
  const [window] = await pack(numberedSamples(probabilities.length * 512), probabilities);
  const [first, second, ...others] = window!.pieces;
  assert.equal(others.length, 0);
  const speechBefore = toSeconds(script([3, 1], [0.9, 0], [3, 1]).length);
  const keptAfter = first!.startSeconds + first!.durationSeconds - speechBefore;
  const keptBefore = toSeconds(script([3, 1], [0.9, 0], [3, 1], [5, 0]).length) - second!.startSeconds;
  assert(Math.abs(keptAfter - 0.4) < 1e-6 && Math.abs(keptBefore - 0.4) < 1e-6);
});

test('a full window ends at a silence in its last third, the longer and later the better', async () => {
  const sentence: [number, number][] = [
    [8, 1],
    [0.4, 0],
  ];
  const probabilities = script(...sentence, ...sentence, [4, 1], [1, 0], [4, 1], [0.4, 0], [9, 1]);
  const windows = await pack(numberedSamples(probabilities.length * 512), probabilities);
  assert.deepEqual(
    windows.map(({ cut }) => cut),
    ['silence', 'end'],
  );
  const [first, second] = windows;
  assert(spokenSeconds(first!) > 23.9, `${spokenSeconds(first!)} s of speech`);
  assert(spokenSeconds(second!) < 9.1);
});

test('speech without a pause is cut where it is quietest near the end of the window', async () => {
  const probabilities = script([70, 0.95]);
  const samples = numberedSamples(probabilities.length * 512).map((_, i) => (i % 2 ? 0.2 : -0.2));
  const quiet = 25.5 * pcmSampleRate;
  samples.fill(0, quiet - 1600, quiet + 1600);
  const windows = await pack(samples, probabilities);
  assert.deepEqual(
    windows.map(({ cut }) => cut),
    ['inside-speech', 'inside-speech', 'end'],
  );
  assert(Math.abs(windows[0]!.audio.length - quiet) < 800);
  assert(windows[1]!.audio.length > 28.8 * pcmSampleRate);
});

test('a window tells how sure the voice was', async () => {
  const probabilities = script([1, 0], [2, 0.6], [2, 0.8], [1, 0]);
  const [window] = await pack(numberedSamples(probabilities.length * 512), probabilities);
  assert(Math.abs(window!.peakProbability - 0.8) < 1e-6);
  assert(Math.abs(window!.meanProbability - 0.7) < 0.01);
  assert(Math.abs(spokenSeconds(window!) - 4) < 0.1);
});

test('tones that might pass for speech are left out, a doubtful voice and speech over tones are not', async () => {
  const tones = toneMusic(12);
  const speech = await readFixture('speech.flac');
  const doubtful = script([1, 0], [3, 0.9], [8, 0]);
  assert.equal((await pack(tones, doubtful)).length, 0);
  assert.equal((await pack(speech.subarray(0, 4 * pcmSampleRate), doubtful)).length, 1);
  assert.equal((await pack(tones, script([1, 0], [3, 0.99], [8, 0]))).length, 1);
});

test('a window comes as soon as it is full, and a reader that stops also stops the source', async () => {
  const probabilities = script(
    ...new Array(20)
      .fill([
        [9, 1],
        [1, 0],
      ])
      .flat(),
  );
  const samples = numberedSamples(probabilities.length * 512);
  let [read, stopped] = [0, false];
  async function* source(): AsyncGenerator<Pcm> {
    try {
      yield* inChunks(samples, [16_000]);
    } finally {
      stopped = true;
    }
  }
  const onAudio = (seconds: number) => {
    read = seconds;
  };
  for await (const _ of packWindows(source(), scriptedVoice(probabilities), { onAudio })) break;
  assert(read < 32, `read ${read} s`);
  assert(stopped);
});

test('an aborted recording is given up', async () => {
  const controller = new AbortController();
  const probabilities = script([60, 1]);
  const packing = pack(numberedSamples(probabilities.length * 512), probabilities, {
    signal: controller.signal,
    onAudio: (seconds) => seconds > 5 && controller.abort(new Error('gone away')),
  });
  await assert.rejects(packing, /gone away/);
});

test('the sentences of a recording are in its window at their times', async () => {
  await using voice = await openVoiceActivity();
  const samples = await readFixture('two-sentences.ogg');
  const windows: SpeechWindow[] = [];
  for await (const window of packWindows(inChunks(samples, [4_000]), voice)) windows.push(window);
  assert.equal(windows.length, 1);
  const pieces = windows[0]!.pieces;
  for (const { startSeconds, endSeconds } of await readSentenceTimes('two-sentences.json')) {
    const holds = pieces.some(
      (piece) =>
        piece.startSeconds < startSeconds + 0.1 &&
        piece.startSeconds + piece.durationSeconds > endSeconds - 0.1,
    );
    assert(holds, `${startSeconds} to ${endSeconds} s is in one piece`);
  }
});

/** Probabilities of stretches given as seconds and value. */
function script(...stretches: [number, number][]): number[] {
  return stretches.flatMap(([seconds, probability]) =>
    new Array<number>(Math.round(seconds * framesPerSecond)).fill(probability),
  );
}

function toSeconds(frames: number): number {
  return frames / framesPerSecond;
}

async function pack(
  samples: Pcm,
  probabilities: number[],
  options: PackOptions = {},
  chunks = [16_000],
): Promise<SpeechWindow[]> {
  const windows: SpeechWindow[] = [];
  for await (const window of packWindows(inChunks(samples, chunks), scriptedVoice(probabilities), options)) {
    windows.push(window);
  }
  return windows;
}

function piecesOf({ pieces, audio }: SpeechWindow): { start: number; audio: Pcm }[] {
  return pieces.map((piece) => {
    const from = Math.round(piece.windowStartSeconds * pcmSampleRate);
    const length = Math.round(piece.durationSeconds * pcmSampleRate);
    return {
      start: Math.round(piece.startSeconds * pcmSampleRate),
      audio: audio.subarray(from, from + length),
    };
  });
}

function spokenSeconds({ speech }: SpeechWindow): number {
  return speech.reduce((sum, { startSeconds, endSeconds }) => sum + endSeconds - startSeconds, 0);
}
