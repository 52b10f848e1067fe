/** The resampler's inner loop, as WebAssembly for the sake of SIMD, which JavaScript does not have; its source is resampler-kernel.wat. */
export const binary =
  'AGFzbQEAAAABDgFgCn9/f39/f39/f38AAhUBCXJlc2FtcGxlcgZtZW1vcnkCAAEDAgEABwwBCHJlc2FtcGxlAAAKgwIBgAICA38C' +
  'ewJAA0AgA0UNASAAIQogASAEQQJ0IAUgCWwgBkEBdmogBm5saiELIAsgBEECdGohDP0MAAAAAAAAAAAAAAAAAAAAACEN/QwAAAAA' +
  'AAAAAAAAAAAAAAAAIQ4DQCANIAr9AAQAIAv9AAQA/eYB/eQBIQ0gDiAK/QAEECAL/QAEEP3mAf3kASEOIApBIGohCiALQSBqIQsg' +
  'CyAMSQ0ACyANIA795AEhDSACIA39HwAgDf0fAZIgDf0fAiAN/R8DkpI4AgAgAkEEaiECIAAgB0ECdGohACAFIAhqIQUgBSAGTwRA' +
  'IAUgBmshBSAAQQRqIQALIANBAWshAwwACwsL';

type Resample = (
  input: number,
  kernels: number,
  output: number,
  count: number,
  taps: number,
  phase: number,
  up: number,
  stepInputs: number,
  stepPhase: number,
  phases: number,
) => void;

/** The loop and a memory of at least so many bytes for it. Addresses are in bytes; `taps` is a multiple of 8. */
export function createResamplerKernel(bytes: number): { buffer: ArrayBuffer; resample: Resample } {
  const memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / 65_536) });
  const module = new WebAssembly.Module(Buffer.from(binary, 'base64'));
  const instance = new WebAssembly.Instance(module, { resampler: { memory } });
  return { buffer: memory.buffer, resample: instance.exports.resample as Resample };
}
