import type { FlacStreamInfo } from './flac-stream-info.ts';

export type FlacFrameHeader = { firstSample: number; samples: number; headerBytes: number };

/** The longest frame header, with a 7-byte number and every optional field. */
export const maxFlacHeaderBytes = 17;

const crc8Table = crcTable(8, 0x07);
const crc16Table = Uint16Array.from(crcTable(16, 0x8005));

/** The frame header at `at` (RFC 9639 §9.1); undefined where there is none, or a damaged one. */
export function parseFlacFrame(
  bytes: Uint8Array,
  at: number,
  info: FlacStreamInfo,
): FlacFrameHeader | undefined {
  if (bytes[at] !== 0xff || (bytes[at + 1]! & 0xfe) !== 0xf8) return undefined;
  const [b2, b3] = [bytes[at + 2]!, bytes[at + 3]!];
  const sizeCode = b2 >> 4;
  const rateCode = b2 & 15;
  if (sizeCode === 0 || rateCode === 15 || b3 >> 4 > 10 || (b3 & 1) !== 0 || ((b3 >> 1) & 7) === 3)
    return undefined;
  const number = readCodedNumber(bytes, at + 4);
  if (!number) return undefined;
  let next = number.next;
  let samples = sizeCode === 1 ? 192 : sizeCode < 6 ? 576 << (sizeCode - 2) : 256 << (sizeCode - 8);
  if (sizeCode === 6) samples = bytes[next++]! + 1;
  if (sizeCode === 7) {
    samples = ((bytes[next]! << 8) | bytes[next + 1]!) + 1;
    next += 2;
  }
  next += rateCode === 12 ? 1 : rateCode === 13 || rateCode === 14 ? 2 : 0;
  if (next >= bytes.length || crc8(bytes, at, next) !== bytes[next]) return undefined;
  const variable = (bytes[at + 1]! & 1) === 1;
  const firstSample = variable ? number.value : number.value * (info.blockSamples || samples);
  return { firstSample, samples, headerBytes: next + 1 - at };
}

/** UTF-8's scheme stretched to 36 bits. */
function readCodedNumber(bytes: Uint8Array, at: number): { value: number; next: number } | undefined {
  const first = bytes[at]!;
  if (first < 0x80) return { value: first, next: at + 1 };
  const extra = Math.clz32(~(first << 24)) - 1;
  if (extra < 1 || extra > 6) return undefined;
  let value = first & (0x3f >> extra);
  for (let i = 1; i <= extra; i++) {
    if ((bytes[at + i]! & 0xc0) !== 0x80) return undefined;
    value = value * 64 + (bytes[at + i]! & 0x3f);
  }
  return { value, next: at + 1 + extra };
}

function crc8(bytes: Uint8Array, from: number, to: number): number {
  let crc = 0;
  for (let i = from; i < to; i++) crc = crc8Table[crc ^ bytes[i]!]!;
  return crc;
}

/** Adds a byte to a frame's checksum, which is zero over a whole frame. */
export function stepCrc16(crc: number, byte: number): number {
  return ((crc << 8) & 0xffff) ^ crc16Table[(crc >> 8) ^ byte]!;
}

export function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (let i = 0; i < bytes.length; i++) crc = stepCrc16(crc, bytes[i]!);
  return crc;
}

function crcTable(bits: number, polynomial: number): number[] {
  const top = 1 << (bits - 1);
  const mask = top * 2 - 1;
  return Array.from({ length: 256 }, (_, byte) => {
    let crc = byte << (bits - 8);
    for (let bit = 0; bit < 8; bit++) crc = ((crc << 1) ^ (crc & top ? polynomial : 0)) & mask;
    return crc;
  });
}
