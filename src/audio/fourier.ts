/** A complex Fourier transform of one fixed length whose prime factors are at most 5 (Stockham's self-sorting form), in place. */
export type FourierTransform = (real: Float64Array, imaginary: Float64Array) => void;

type Pass = {
  radix: number;
  /** Length of the transforms that this pass joins. */
  done: number;
  /** Twiddle factors: for each k below `done`, input j and output q, the cosine and sine with which j enters q. */
  twiddles: Float64Array;
};

export function createFourierTransform(length: number): FourierTransform {
  const passes = planPasses(length);
  const spareReal = new Float64Array(length);
  const spareImaginary = new Float64Array(length);

  return (real, imaginary) => {
    let inPlace = true;
    for (const pass of passes) {
      if (inPlace) join(pass, length, real, imaginary, spareReal, spareImaginary);
      else join(pass, length, spareReal, spareImaginary, real, imaginary);
      inPlace = !inPlace;
    }
    if (!inPlace) {
      real.set(spareReal);
      imaginary.set(spareImaginary);
    }
  };
}

/** Joins `radix` transforms of length `done` into one of length `radix · done`, for every residue. */
function join(
  { radix, done, twiddles }: Pass,
  length: number,
  fromReal: Float64Array,
  fromImaginary: Float64Array,
  toReal: Float64Array,
  toImaginary: Float64Array,
): void {
  const stride = length / radix;
  const groups = stride / done;
  for (let group = 0; group < groups; group++) {
    for (let k = 0; k < done; k++) {
      const from = group * done + k;
      const to = group * done * radix + k;
      for (let q = 0; q < radix; q++) {
        let re = 0;
        let im = 0;
        for (let j = 0; j < radix; j++) {
          const input = from + j * stride;
          const at = 2 * ((k * radix + j) * radix + q);
          const c = twiddles[at]!;
          const s = twiddles[at + 1]!;
          re += fromReal[input]! * c - fromImaginary[input]! * s;
          im += fromReal[input]! * s + fromImaginary[input]! * c;
        }
        toReal[to + q * done] = re;
        toImaginary[to + q * done] = im;
      }
    }
  }
}

function planPasses(length: number): Pass[] {
  let done = 1;
  return factor(length).map((radix) => {
    const twiddles = new Float64Array(2 * done * radix * radix);
    for (let k = 0; k < done; k++) {
      for (let j = 0; j < radix; j++) {
        for (let q = 0; q < radix; q++) {
          const angle = (-2 * Math.PI * j * (k + q * done)) / (radix * done);
          const at = 2 * ((k * radix + j) * radix + q);
          twiddles[at] = Math.cos(angle);
          twiddles[at + 1] = Math.sin(angle);
        }
      }
    }
    const pass = { radix, done, twiddles };
    done *= radix;
    return pass;
  });
}

function factor(length: number): number[] {
  const factors: number[] = [];
  let rest = length;
  for (const radix of [4, 2, 3, 5]) {
    while (rest % radix === 0) {
      factors.push(radix);
      rest /= radix;
    }
  }
  if (rest !== 1) throw new Error(`${length} has a prime factor above 5`);
  return factors;
}
