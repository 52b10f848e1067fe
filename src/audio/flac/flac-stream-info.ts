import { isPlausibleRate } from '../audio-block.ts';

export type FlacStreamInfo = {
  sampleRate: number;
  channels: number;
  bits: number;
  totalSamples: number;
  /** Samples in each frame but the last; 0 where frames differ. */
  blockSamples: number;
};

const streamInfoBytes = 34;
/** Where the STREAMINFO block ends, which comes first, after "fLaC" and its header. */
export const streamInfoEnd = 8 + streamInfoBytes;

const lastBlockFlag = 0x80;

/** The header of a metadata block (RFC 9639 §8.1); undefined where the bytes end before it does. */
export function parseBlockHeader(
  bytes: Uint8Array,
  at: number,
): { isLast: boolean; length: number } | undefined {
  if (at + 4 > bytes.length) return undefined;
  const length = (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;
  return { isLast: (bytes[at]! & lastBlockFlag) !== 0, length };
}

/** RFC 9639 §8.2. */
export function parseStreamInfo(header: Uint8Array): FlacStreamInfo | undefined {
  const marked = String.fromCharCode(...header.subarray(0, 4)) === 'fLaC' && (header[4]! & 0x7f) === 0;
  if (!marked || header.length < streamInfoEnd) return undefined;
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
