import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Pcm, pcmSampleRate } from '../../../src/audio/pcm.ts';
import { type SpeechSpan, SpeechSpanTracker } from '../../../src/speech/windows/speech-spans.ts';
import { openVoiceActivity } from '../voice-graph.ts';
import { mainsHum, readFixture, readSentenceTimes, silence, toneMusic, whiteNoise } from '../voice-sounds.ts';

const frame = 512;

test('speech has some silence on both sides', () => {
  const [span, ...others] = spansOf([...frames(20, 0.1), ...frames(30, 0.9), ...frames(40, 0.1)]);
  assert.equal(others.length, 0);
  assert.deepEqual(
    [span!.start, span!.speechStart, span!.speechEnd, span!.end],
    [20 * frame - 3200, 20 * frame, 50 * frame, 50 * frame + 4800],
  );
});

test('a dip between the thresholds, or a short one, does not split speech', () => {
  const dips = [
    ...frames(20, 0.9),
    ...frames(30, 0.4),
    ...frames(10, 0.9),
    ...frames(9, 0),
    ...frames(10, 0.9),
  ];
  assert.equal(spansOf([...dips, ...frames(40, 0)]).length, 1);
});

test('neighbours share a short silence', () => {
  const [first, second] = spansOf([...frames(20, 0.9), ...frames(12, 0), ...frames(20, 0.9)]);
  assert.equal(first!.end, second!.start);
  assert(first!.end > first!.speechEnd && second!.start < second!.speechStart);
});

test('a short clear word is speech; a doubtful blip and a tone struck for three frames are not', () => {
  const alone = (...word: number[]) => spansOf([...frames(40, 0.01), ...word, ...frames(40, 0.01)]).length;
  assert.equal(alone(0.6, 0.95, 0.99, 0.7), 1);
  assert.equal(alone(0.5, 0.52, 0.4, 0.36), 0);
  assert.equal(alone(0.55, 0.96, 0.4), 0);
});

test('speech that goes on when the recording ends is closed with it', () => {
  const tracker = new SpeechSpanTracker();
  assert.deepEqual(tracker.push(Float32Array.from(frames(20, 0.9))), []);
  assert.deepEqual(tracker.open, { start: 0, speechStart: 0 });
  const [span] = tracker.end(20 * frame - 100);
  assert.deepEqual([span!.start, span!.speechEnd, span!.end], [0, 20 * frame - 100, 20 * frame - 100]);
});

test('spans go forward, never overlap, and come out the same however the probabilities arrive', () => {
  const track = fc.array(
    fc.tuple(fc.integer({ min: 1, max: 40 }), fc.double({ min: 0, max: 1, noNaN: true })),
  );
  fc.assert(
    fc.property(track, fc.integer({ min: 1, max: 50 }), (runs, chunk) => {
      const probabilities = runs.flatMap(([count, probability]) => frames(count, probability));
      const spans = spansOf(probabilities);
      let end = 0;
      for (const span of spans) {
        assert(end <= span.start && span.start <= span.speechStart && span.speechStart < span.speechEnd);
        assert(span.speechEnd <= span.end && span.meanProbability <= span.peakProbability + 1e-9);
        end = span.end;
      }
      assert(end <= probabilities.length * frame);
      assert.deepEqual(spansOf(probabilities, chunk), spans);
    }),
  );
});

test('nothing is given out before what has been called settled', () => {
  const track = fc.array(fc.tuple(fc.integer({ min: 1, max: 20 }), fc.constantFrom(0, 0.4, 0.6, 1)));
  fc.assert(
    fc.property(track, (runs) => {
      const tracker = new SpeechSpanTracker();
      let settled = 0;
      for (const [count, probability] of runs) {
        for (const span of tracker.push(Float32Array.from(frames(count, probability)))) {
          assert(span.start >= settled);
        }
        assert(tracker.open === undefined || tracker.open.start >= settled);
        settled = tracker.settledSamples;
      }
    }),
  );
});

const minute = 60;
const notSpeech: Record<string, () => Pcm> = {
  'digital silence': () => silence(minute),
  'white noise at −20 dBFS': () => whiteNoise(minute, -20),
  'white noise at −40 dBFS': () => whiteNoise(minute, -40),
  'a 50 Hz hum': () => mainsHum(minute, 50),
  'a 60 Hz hum': () => mainsHum(minute, 60),
  'music made of tones': () => toneMusic(minute),
};
for (const [name, make] of Object.entries(notSpeech)) {
  test(`${name} is not speech`, async () => {
    assert.deepEqual(await listen(make()), []);
  });
}

test('two sentences are found where they were spoken', async () => {
  const spans = await listen(await readFixture('two-sentences.flac'));
  const sentences = await readSentenceTimes('two-sentences.json');
  assert.equal(spans.length, sentences.length);
  for (const [index, { startSeconds, endSeconds }] of sentences.entries()) {
    const span = spans[index]!;
    assert(
      Math.abs(span.start / pcmSampleRate - startSeconds) < 0.3,
      `starts at ${span.start / pcmSampleRate}`,
    );
    assert(Math.abs(span.end / pcmSampleRate - endSeconds) < 0.3, `ends at ${span.end / pcmSampleRate}`);
    assert(span.peakProbability > 0.9);
  }
});

function frames(count: number, probability: number): number[] {
  return new Array<number>(count).fill(probability);
}

function spansOf(probabilities: number[], chunk = probabilities.length || 1): SpeechSpan[] {
  const tracker = new SpeechSpanTracker();
  const spans: SpeechSpan[] = [];
  for (let at = 0; at < probabilities.length; at += chunk) {
    spans.push(...tracker.push(Float32Array.from(probabilities.slice(at, at + chunk))));
  }
  return [...spans, ...tracker.end(probabilities.length * frame)];
}

async function listen(sound: Pcm): Promise<SpeechSpan[]> {
  await using voice = await openVoiceActivity();
  const stream = voice.open();
  const tracker = new SpeechSpanTracker();
  const spans = tracker.push(await stream.push(sound));
  spans.push(...tracker.push(await stream.end()));
  return [...spans, ...tracker.end(sound.length)];
}
