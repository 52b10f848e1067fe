import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { joinSamples } from '../../../src/audio/audio-block.ts';
import { createResampler } from '../../../src/audio/resample/resampler.ts';

const rates = [8_000, 11_025, 22_050, 32_000, 44_100, 48_000, 96_000, 44_056];

for (const rate of rates.filter((rate) => rate > 16_000)) {
  test(`at ${rate} Hz, tones above 8 kHz leave nothing above −60 dB`, () => {
    for (const hertz of [8_010, 8_200, 9_000, 11_000, 12_345, 15_900, 20_000].filter(
      (hertz) => hertz < rate / 2,
    )) {
      const level = decibels(rms(middle(resample(tone(hertz, rate, rate), rate))) / Math.SQRT1_2);
      assert.ok(level < -60, `${hertz} Hz came through at ${level.toFixed(1)} dB`);
    }
  });
}

for (const rate of rates) {
  test(`at ${rate} Hz, tones in the passband keep their level and their time`, () => {
    for (const hertz of [50, 440, 1_000, 3_400, 5_000, 7_000].filter((hertz) => hertz < 0.43 * rate)) {
      const output = resample(tone(hertz, rate, rate), rate);
      const ideal = tone(hertz, 16_000, output.length);
      const error = decibels(rms(middle(output.map((sample, i) => sample - ideal[i]!))));
      // A delay of one fiftieth of a sample at 1 kHz would already show as −50 dB.
      assert.ok(error < -55, `${hertz} Hz differs by ${error.toFixed(1)} dB`);
    }
  });
}

test('a telephone recording gains no images above its own band', () => {
  const output = middle(resample(tone(1_000, 8_000, 8_000), 8_000));
  const ideal = middle(tone(1_000, 16_000, 16_000));
  assert.ok(decibels(rms(output.map((sample, i) => sample - ideal[i]!))) < -60);
});

test('a constant stays exact', () => {
  const output = middle(resample(new Float32Array(44_100).fill(0.5), 44_100));
  for (const sample of output) assert.ok(Math.abs(sample - 0.5) < 1e-5);
});

test('the output has exactly the length of the input in time, however the input is cut', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...rates),
      fc.array(fc.integer({ min: 0, max: 9_000 }), { maxLength: 12 }),
      (rate, lengths) => {
        const input = tone(
          333,
          rate,
          lengths.reduce((sum, length) => sum + length, 0),
        );
        const whole = resample(input, rate);
        assert.equal(whole.length, Math.round((input.length * 16_000) / rate));
        assert.deepEqual(resample(input, rate, lengths), whole);
      },
    ),
    { numRuns: 60 },
  );
});

test('a click stays where it was', () => {
  const input = new Float32Array(48_000);
  input[24_000] = 1;
  const output = resample(input, 48_000);
  assert.equal(output.indexOf(Math.max(...output)), 8_000);
});

function resample(input: Float32Array, rate: number, lengths = [input.length]): Float32Array {
  const resampler = createResampler(rate);
  const output: Float32Array[] = [];
  let from = 0;
  for (const length of lengths) {
    output.push(resampler.push(input.subarray(from, from + length)));
    from += length;
  }
  output.push(resampler.flush());
  return joinSamples(output);
}

function tone(hertz: number, rate: number, samples: number): Float32Array {
  return Float32Array.from({ length: samples }, (_, i) => Math.sin((2 * Math.PI * hertz * i) / rate));
}

/** Without the ends, where a tone that begins and stops is no longer one frequency. */
function middle(samples: Float32Array): Float32Array {
  return samples.subarray(1_000, samples.length - 1_000);
}

function rms(samples: Float32Array): number {
  return Math.sqrt(samples.reduce((sum, sample) => sum + sample ** 2, 0) / samples.length);
}

function decibels(ratio: number): number {
  return 20 * Math.log10(ratio + 1e-12);
}
