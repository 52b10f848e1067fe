import { isPlausibleRate } from '../audio-block.ts';

export type FlacStreamInfo = {
  sampleRate: number;
  channels: number;
  bits: number;
  totalSamples: number;
  /** Samples in each frame but the last; 0 where frames differ. */
  blockSamples: number;
};

export const streamInfoBytes = 34;

/** RFC 9639 §8.2. */
export function parseStreamInfo(header: Uint8Array): FlacStreamInfo | undefined {
  const marked = String.fromCharCode(...header.subarray(0, 4)) === 'fLaC' && (header[4]! & 0x7f) === 0;
  if (!marked || header.length < 8 + streamInfoBytes) return undefined;
  const view = new DataView(header.buffer, header.byteOffset + 8, streamInfoBytes);
  const packed = view.getUint32(10);
  const sampleRate = packed >>> 12;
  if (!isPlausibleRate(sampleRate)) return undefined;
  return {
    sampleRate,
    channels: ((packed >>> 9) & 7) + 1,
    bits: ((packed >>> 4) & 31) + 1,
    blockSamples: view.getUint16(0) === view.getUint16(2) ? view.getUint16(0) : 0,
    totalSamples: (packed & 15) * 2 ** 32 + view.getUint32(14),
  };
}
