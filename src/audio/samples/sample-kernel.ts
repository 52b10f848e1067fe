/** Converts floats to 16 bits and back, as WebAssembly with SIMD, which is fast from the first window on; its source is sample-kernel.wat. */
export const binary =
  'AGFzbQEAAAABEAJgBH9/f30BfWAEf39/fQACEwEHc2FtcGxlcwZtZW1vcnkCAAEDAwIAAQcRAgRwYWNrAAAGdW5wYWNrAAEK5gECiAEB' +
  'BHsgA/0TIQYCQANAIAJFDQEgAP0ABAAhBCAA/QAEECEFIAcgBP3gASAF/eAB/esB/esBIQcgASAEIAb95gH9av34ASAFIAb95gH9av34' +
  'Af2FAf0LBAAgAEEgaiEAIAFBEGohASACQQhrIQIMAAsLIAf9HwAgB/0fAZcgB/0fAiAH/R8Dl5cLWgECeyAD/RMhBQJAA0AgAkUNASAA' +
  '/QAEACEEIAEgBP2nAf36ASAF/eYB/QsEACABIAT9qAH9+gEgBf3mAf0LBBAgAEEQaiEAIAFBIGohASACQQhrIQIMAAsLCw==';

/** `count` is a multiple of 8; addresses are in bytes. */
type Pack = (input: number, output: number, count: number, factor: number) => number;
type Unpack = (input: number, output: number, count: number, factor: number) => void;

export type SampleKernel = {
  /** At least so many bytes to read from and write to; what was there before may be gone. */
  scratch(bytes: number): ArrayBuffer;
  /** Returns the largest amplitude. */
  pack: Pack;
  unpack: Unpack;
};

const pageBytes = 65_536;

export function createSampleKernel(): SampleKernel {
  const memory = new WebAssembly.Memory({ initial: 1 });
  const module = new WebAssembly.Module(Buffer.from(binary, 'base64'));
  const instance = new WebAssembly.Instance(module, { samples: { memory } });
  return {
    scratch(bytes) {
      const missing = bytes - memory.buffer.byteLength;
      if (missing > 0) memory.grow(Math.ceil(missing / pageBytes));
      return memory.buffer;
    },
    pack: instance.exports.pack as Pack,
    unpack: instance.exports.unpack as Unpack,
  };
}
