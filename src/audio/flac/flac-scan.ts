import { type FlacFrameHeader, maxFlacHeaderBytes, parseFlacFrame, stepCrc16 } from './flac-frame.ts';
import type { FlacStreamInfo } from './flac-stream-info.ts';

/** How far a frame has been scanned for its end, and its checksum up to there. */
export type FlacScan = { at: number; crc: number };

/**
 * Frames carry no length: one ends where its checksum comes to zero and another frame begins. Goes on scanning the frame at the start
 * of `bytes`, and returns its length, `more` when more bytes are needed for that, or `damaged` when it has no end.
 */
export function scanFrame(
  scan: FlacScan,
  bytes: Uint8Array,
  header: FlacFrameHeader,
  info: FlacStreamInfo,
  atEnd: boolean,
): number | 'more' | 'damaged' {
  const maxBytes = maxFrameBytes(header, info);
  const until = Math.min(bytes.length, maxBytes);
  let { at, crc } = scan;
  while (at < until) {
    const next = at + 1;
    const stepped = stepCrc16(crc, bytes[at]!);
    if (stepped === 0 && next > header.headerBytes) {
      if (!atEnd && bytes.length < next + maxFlacHeaderBytes) break;
      if (next === bytes.length || isTag(bytes, next) || parseFlacFrame(bytes, next, info)) return next;
    }
    at = next;
    crc = stepped;
  }
  scan.at = at;
  scan.crc = crc;
  return atEnd || at >= maxBytes ? 'damaged' : 'more';
}

/** The first index from which a frame begins, or might begin once more bytes have come; otherwise the end of the bytes. */
export function findFrame(bytes: Uint8Array, from: number, info: FlacStreamInfo, atEnd: boolean): number {
  const decidable = atEnd ? bytes.length : bytes.length - maxFlacHeaderBytes + 1;
  let at = from;
  while (at < bytes.length) {
    if (bytes[at] === 0xff && (at >= decidable || parseFlacFrame(bytes, at, info))) return at;
    at++;
  }
  return at;
}

/** No frame is longer than its samples stored plainly. */
export function maxFrameBytes(header: FlacFrameHeader, info: FlacStreamInfo): number {
  return header.samples * info.channels * Math.ceil((info.bits + 1) / 8) + 1_024;
}

/** ID3v1, which some taggers put after the last frame. */
function isTag(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === 0x54 && bytes[at + 1] === 0x41 && bytes[at + 2] === 0x47;
}
