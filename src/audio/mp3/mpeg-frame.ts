/** Headers of MPEG audio frames, layers II and III (ISO/IEC 11172-3 §2.4.1.3, 13818-3; MPEG-2.5 by convention). */
export type MpegFrame = {
  layer: 2 | 3;
  /** The bits that never change within one stream: version, layer and rate. */
  stream: number;
  sampleRate: number;
  samples: number;
  bytes: number;
  /** Where a frame with a Xing header has it: after the side information. */
  xingOffset: number;
};

export const maxMpegFrameBytes = 2_881;

const kilobitsV1Layer2 = [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384];
const kilobitsV1Layer3 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const kilobitsV2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const ratesV1 = [44_100, 48_000, 32_000];

export function parseMpegFrame(bytes: Uint8Array, at = 0): MpegFrame | undefined {
  const b1 = bytes[at + 1]!;
  const b2 = bytes[at + 2]!;
  const b3 = bytes[at + 3];
  if (b3 === undefined || bytes[at] !== 0xff || (b1 & 0xe0) !== 0xe0) return undefined;
  const version = (b1 >> 3) & 3;
  const layer = 4 - ((b1 >> 1) & 3);
  // Layer I is left out: nobody uses it, and a UTF-16 byte order mark looks just like it. AAC in ADTS reads as layer 4.
  if (version === 1 || (layer !== 2 && layer !== 3)) return undefined;
  const first = version === 3;
  const kilobits = (first ? (layer === 2 ? kilobitsV1Layer2 : kilobitsV1Layer3) : kilobitsV2)[b2 >> 4];
  const baseRate = ratesV1[(b2 >> 2) & 3];
  if (!kilobits || !baseRate || (b3 & 3) === 2) return undefined;
  const sampleRate = baseRate / (first ? 1 : version === 2 ? 2 : 4);
  const samples = layer === 3 && !first ? 576 : 1152;
  const mono = b3 >> 6 === 3;
  return {
    layer,
    stream: ((b1 & 0x1e) << 8) | (b2 & 0x0c),
    sampleRate,
    samples,
    bytes: Math.floor((samples * kilobits * 125) / sampleRate) + ((b2 >> 1) & 1),
    xingOffset: first ? (mono ? 21 : 36) : mono ? 13 : 21,
  };
}

/** The delay that a decoder adds (layer III: 528 + 1), which is not part of the delay that encoders declare. */
export function decoderDelay(layer: 2 | 3): number {
  return layer === 3 ? 529 : 481;
}

/** The whole delay where a file does not declare one. Layer III encoders add at least 576 samples, and LAME adds exactly that. */
export function typicalDelay(layer: 2 | 3): number {
  return decoderDelay(layer) + (layer === 3 ? 576 : 0);
}

/** Counts frames that follow one another from `at` on, up to `enough`; a header cut off by the end counts as none. */
export function countFrames(bytes: Uint8Array, at: number, enough: number): number {
  let count = 0;
  let stream: number | undefined;
  for (let next = at; count < enough; count++) {
    const frame = parseMpegFrame(bytes, next);
    if (!frame || (stream ?? frame.stream) !== frame.stream) break;
    stream = frame.stream;
    next += frame.bytes;
  }
  return count;
}
