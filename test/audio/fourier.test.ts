import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFourierTransform } from '../../src/audio/fourier.ts';

for (const length of [1, 2, 3, 4, 5, 6, 30, 64, 100, 400, 480]) {
  test(`the transform of ${length} values is the sum that defines it, within 1e-9`, () => {
    const signal = Array.from({ length }, (_, i) => [Math.sin(1 + i * i), Math.cos(3 * i) - 0.3] as const);
    const real = Float64Array.from(signal, ([re]) => re);
    const imaginary = Float64Array.from(signal, ([, im]) => im);
    const transform = createFourierTransform(length);
    transform(real, imaginary);
    for (let k = 0; k < length; k++) {
      let [re, im] = [0, 0];
      for (const [i, [a, b]] of signal.entries()) {
        const angle = (-2 * Math.PI * ((i * k) % length)) / length;
        re += a * Math.cos(angle) - b * Math.sin(angle);
        im += a * Math.sin(angle) + b * Math.cos(angle);
      }
      assert(Math.abs(real[k]! - re) < 1e-9 && Math.abs(imaginary[k]! - im) < 1e-9, `value ${k}`);
    }
  });
}

test('one transform can be used again and again', () => {
  const transform = createFourierTransform(20);
  const once = Float64Array.from({ length: 20 }, (_, i) => i);
  const twice = once.slice();
  transform(once, new Float64Array(20));
  transform(twice, new Float64Array(20));
  assert.deepEqual(twice, once);
});

test('a length with a prime factor above 5 is refused', () => {
  assert.throws(() => createFourierTransform(14), /14 has a prime factor above 5/);
});
