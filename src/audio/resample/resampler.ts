import { setImmediate as nextTurn } from 'node:timers/promises';
import { joinSamples } from '../audio-block.ts';
import { pcmSampleRate } from '../pcm.ts';
import { createResamplerKernel } from './resampler-kernel.ts';

export interface Resampler {
  /** The samples at 16 kHz that follow from the input so far; there may be none. */
  push(input: Float32Array): Float32Array;
  /** What is still due after the last input: in all, round(inputs × 16000 / inputRate) samples. */
  flush(): Float32Array;
}

/** Flat to 7.1 kHz; everything that would fold back below 8 kHz is under −65 dB. */
const passbandHz = 7_100;
const stopbandDecibels = 66;
/**
 * At most this many fractional positions between two outputs have a kernel; for others the nearest is used, with an error below the
 * stopband. Between two inputs there are fewer when the input's rate is higher, since its samples lie closer together: kernels of
 * high rates are longer, and the work of making them all is the same at any rate.
 */
const maxPhases = 4_096;
/** The filter's memory holds this much input at a time. */
const pieceInputs = 4_096;
const turnMs = 5;

export function createResampler(inputRate: number): Resampler {
  if (inputRate === pcmSampleRate) return unchanged;
  const resampler = new SincResampler(inputRate);
  for (const _ of resampler.design());
  return resampler;
}

/** The same for a thread that others need meanwhile: the filter of an odd rate takes 30 ms to make. */
export async function createResamplerInTurns(inputRate: number): Promise<Resampler> {
  if (inputRate === pcmSampleRate) return unchanged;
  const resampler = new SincResampler(inputRate);
  let turnStart = performance.now();
  for (const _ of resampler.design()) {
    if (performance.now() - turnStart < turnMs) continue;
    await nextTurn();
    turnStart = performance.now();
  }
  return resampler;
}

const unchanged: Resampler = { push: (input) => input, flush: () => new Float32Array(0) };

/**
 * A polyphase windowed-sinc filter, centred on each output instant, so it adds no delay: output n is the signal
 * at n / 16000 s. Design after Kaiser (1974); see Smith, "Digital Audio Resampling Home Page", CCRMA.
 */
class SincResampler implements Resampler {
  readonly #up: number;
  readonly #down: number;
  readonly #half: number;
  readonly #phases: number;
  readonly #kernels: Float32Array;
  readonly #cutoff: number;
  readonly #resample: ReturnType<typeof createResamplerKernel>['resample'];
  /** Inputs from index `#start` on; what lies before the first input and after the last is zero. */
  readonly #pending: Float32Array;
  readonly #produced: Float32Array;
  #start: number;
  #length: number;
  #inputs = 0;
  #outputs = 0;

  constructor(inputRate: number) {
    const divisor = greatestCommonDivisor(inputRate, pcmSampleRate);
    this.#up = pcmSampleRate / divisor;
    this.#down = inputRate / divisor;
    const phasesAtOutput = Math.min(1, pcmSampleRate / inputRate) * maxPhases;
    this.#phases = Math.min(this.#up, Math.ceil(phasesAtOutput));
    // Upsampling must only remove images, which begin at the input's own Nyquist frequency.
    const nyquist = Math.min(inputRate, pcmSampleRate) / 2;
    const passband = (passbandHz / (pcmSampleRate / 2)) * nyquist;
    const transition = (2 * Math.PI * (nyquist - passband)) / inputRate;
    const taps = Math.ceil((stopbandDecibels - 7.95) / (2.285 * transition) / 8) * 8;
    this.#half = taps / 2;

    const kernelFloats = (this.#phases + 1) * taps;
    const pendingFloats = 2 * taps + pieceInputs;
    const producedFloats = Math.ceil(((taps + pieceInputs) * this.#up) / this.#down) + 1;
    const { buffer, resample } = createResamplerKernel(4 * (kernelFloats + pendingFloats + producedFloats));
    this.#kernels = new Float32Array(buffer, 0, kernelFloats);
    this.#cutoff = (nyquist + passband) / 2 / inputRate;
    this.#pending = new Float32Array(buffer, 4 * kernelFloats, pendingFloats);
    this.#produced = new Float32Array(buffer, 4 * (kernelFloats + pendingFloats), producedFloats);
    this.#resample = resample;
    this.#start = -this.#half;
    this.#length = this.#half;
  }

  /** Makes the kernels, a row in each step. Nothing can be pushed before that. */
  design(): Generator<void> {
    return designKernels(this.#kernels, 2 * this.#half, this.#cutoff);
  }

  push(input: Float32Array): Float32Array {
    const parts: Float32Array[] = [];
    for (let at = 0; at < input.length; at += pieceInputs) {
      const piece = input.subarray(at, at + pieceInputs);
      this.#append(piece);
      this.#inputs += piece.length;
      // Output n needs the inputs up to floor(n·down/up) + half.
      const ready = Math.ceil(((this.#inputs - this.#half) * this.#up) / this.#down);
      if (ready > this.#outputs) parts.push(this.#produce(ready));
    }
    return joinSamples(parts);
  }

  flush(): Float32Array {
    this.#append(new Float32Array(this.#half));
    return this.#produce(Math.round((this.#inputs * this.#up) / this.#down));
  }

  #append(piece: Float32Array): void {
    this.#pending.set(piece, this.#length);
    this.#length += piece.length;
  }

  #produce(until: number): Float32Array {
    const count = until - this.#outputs;
    const position = this.#outputs * this.#down;
    const whole = Math.floor(position / this.#up);
    this.#resample(
      this.#pending.byteOffset + 4 * (whole - this.#half + 1 - this.#start),
      0,
      this.#produced.byteOffset,
      count,
      2 * this.#half,
      position % this.#up,
      this.#up,
      Math.floor(this.#down / this.#up),
      this.#down % this.#up,
      this.#phases,
    );
    this.#outputs = until;
    this.#discard(Math.floor((until * this.#down) / this.#up) - this.#half + 1);
    return this.#produced.slice(0, count);
  }

  #discard(before: number): void {
    const drop = Math.min(before - this.#start, this.#length);
    if (drop <= 0) return;
    this.#pending.copyWithin(0, drop, this.#length);
    this.#length -= drop;
    this.#start += drop;
  }
}

/**
 * One row of taps for each fractional position from 0 to 1; each row sums to one, so a constant stays exact. The last rows are the
 * first ones backwards. Inside a row the angle of the sine grows by the same step, so each sine follows from the one before.
 */
function* designKernels(kernels: Float32Array, taps: number, cutoff: number): Generator<void> {
  const half = taps / 2;
  const phases = kernels.length / taps - 1;
  const step = 2 * Math.PI * cutoff;
  const [stepCosine, stepSine] = [Math.cos(step), Math.sin(step)];
  for (let phase = 0; phase <= phases / 2; phase++) {
    const row = kernels.subarray(phase * taps, (phase + 1) * taps);
    const first = 1 - half - phase / phases;
    let [cosine, sine] = [Math.cos(step * first), Math.sin(step * first)];
    let sum = 0;
    for (let i = 0; i < taps; i++) {
      const distance = first + i;
      const tap = (distance === 0 ? 1 : sine / (step * distance)) * kaiserWindow(distance / half);
      [cosine, sine] = [cosine * stepCosine - sine * stepSine, sine * stepCosine + cosine * stepSine];
      row[i] = tap;
      sum += tap;
    }
    for (let i = 0; i < taps; i++) row[i]! /= sum;
    kernels.subarray((phases - phase) * taps, (phases - phase + 1) * taps).set(row);
    kernels.subarray((phases - phase) * taps, (phases - phase + 1) * taps).reverse();
    yield;
  }
}

const windowPoints = 1 << 14;
const windowTable = Float64Array.from({ length: windowPoints + 2 }, (_, point) => {
  const beta = 0.1102 * (stopbandDecibels - 8.7);
  return besselI0(beta * Math.sqrt(Math.max(0, 1 - (point / windowPoints) ** 2)));
});

/** From −1 to 1, by lines between points that lie so close that no sample of 16 bits would show it. */
function kaiserWindow(position: number): number {
  const at = Math.abs(position) * windowPoints;
  const point = Math.floor(at);
  return windowTable[point]! + (windowTable[point + 1]! - windowTable[point]!) * (at - point);
}

function besselI0(x: number): number {
  let sum = 1;
  let term = 1;
  for (let k = 1; term > sum * 1e-12; k++) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
