import type { MpegFrame } from './mpeg-frame.ts';

/** What an encoder writes into a silent first frame: the frame count, and how much it added at either end. */
export type XingHeader = { frames: number | undefined; delay: number | undefined; padding: number };

/** The Xing/Info header with LAME's extension (gabriel.mp3-tech.org/mp3infotag.html), or Fraunhofer's VBRI. */
export function parseXingHeader(frame: MpegFrame, bytes: Uint8Array): XingHeader | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const nameAt = (offset: number) => String.fromCharCode(...bytes.subarray(offset, offset + 4));
  if (nameAt(36) === 'VBRI' && bytes.length >= 54) {
    return { frames: view.getUint32(50) || undefined, delay: undefined, padding: 0 };
  }
  let at = frame.xingOffset;
  if (!['Xing', 'Info'].includes(nameAt(at)) || bytes.length < at + 8) return undefined;
  const flags = view.getUint32(at + 4);
  at += 8;
  const frames = flags & 1 && bytes.length >= at + 4 ? view.getUint32(at) : undefined;
  at += (flags & 1 ? 4 : 0) + (flags & 2 ? 4 : 0) + (flags & 4 ? 100 : 0) + (flags & 8 ? 4 : 0);
  const trim = bytes.length >= at + 24 && bytes[at] !== 0 ? view.getUint32(at + 20) & 0xff_ffff : 0;
  return { frames, delay: trim ? trim >> 12 : undefined, padding: trim & 0xfff };
}
