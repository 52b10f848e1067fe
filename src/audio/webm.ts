import { ServiceError } from '../errors.ts';
import { type AudioBlock, silence, trimBlock } from './audio-block.ts';
import { type ByteReader, joinBytes } from './byte-reader.ts';
import { type ElementHeader, peekElementHeader, readFloat, readInt, readUint, readVint } from './ebml.ts';
import type { PacketDecoder } from './packet-decoder.ts';
import { parseTrackEntry, unlace, type WebmTrack } from './webm-track.ts';

const ids = {
  cluster: 0x1f43b675,
  timestamp: 0xe7,
  simpleBlock: 0xa3,
  block: 0xa1,
  discardPadding: 0x75a2,
  timestampScale: 0x2ad7b1,
  duration: 0x4489,
  trackEntry: 0xae,
};
/** Masters that are entered: Segment, Info, Tracks, Cluster, BlockGroup. */
const entered = new Set([0x18538067, 0x1549a966, 0x1654ae6b, ids.cluster, 0xa0]);
/** What else may stand among them; an id outside both sets is damage. */
const known = new Set([
  ...entered,
  ...Object.values(ids),
  ...[0x1a45dfa3, 0x114d9b74, 0x1c53bb6b, 0x1254c367, 0x1941a469, 0x1043a770, 0xec, 0xbf, 0xa7, 0xab, 0x5854],
  ...[
    0x9b, 0xfb, 0xfa, 0xa4, 0x75a1, 0xa2, 0x8e, 0xaf, 0x73a4, 0x7384, 0x7ba9, 0x4d80, 0x5741, 0x4461,
    0x3c83ab,
  ],
  ...[0x3cb923, 0x3c83bb, 0x3eb923, 0x3e83bb, 0x4444, 0x6924],
]);
const maxFieldBytes = 1 << 20;
const maxBlockBytes = 64 << 20;
const searchBytes = 8_192;
const gapToleranceSeconds = 0.1;
/** A longer jump is a broken clock, not lost audio. */
const maxGapSeconds = 600;

type Block = { seconds: number; frames: Uint8Array[] };

/**
 * WebM and Matroska (RFC 9559), read strictly forwards: elements are taken one after another with no tree, so unknown
 * sizes need no care, and after damage reading goes on at the next cluster. mediabunny was tried for this: it gathers
 * whole clusters, allocates whatever size an element claims, and ends at the first damage.
 */
export async function* decodeWebm(reader: ByteReader, maxSeconds: number): AsyncGenerator<AudioBlock> {
  let track: WebmTrack | undefined;
  let decoder: PacketDecoder | undefined;
  let timeline: Timeline | undefined;
  let scale = 1e-3;
  let clusterTime = 0;
  let clusterEnd = Number.POSITIVE_INFINITY;
  let held: Block | undefined;
  try {
    for (;;) {
      const header = await peekElementHeader(reader);
      if ((await reader.peek(1)).length === 0) break;
      if (!header || !fits(header, reader.position, clusterEnd)) {
        clusterEnd = Number.POSITIVE_INFINITY;
        await skipToCluster(reader);
        continue;
      }
      await reader.skip(header.headerBytes);
      const { id, size } = header;
      if (id === ids.cluster) {
        clusterEnd = size === undefined ? Number.POSITIVE_INFINITY : reader.position + size;
        if (!track) throw new ServiceError('invalid_file_format');
      } else if (reader.position >= clusterEnd) clusterEnd = Number.POSITIVE_INFINITY;
      if (entered.has(id)) continue;
      // A BlockGroup says only after its block how much of that block is padding.
      const discard = id === ids.discardPadding ? readInt(await reader.take(size!)) * 1e-9 : 0;
      if (
        held &&
        timeline &&
        (id === ids.discardPadding || id === ids.simpleBlock || id === ids.block || id === ids.timestamp)
      ) {
        yield* timeline.place(held, discard);
        held = undefined;
      }
      if (id === ids.timestamp) clusterTime = readUint(await reader.take(size!));
      else if (id === ids.timestampScale) scale = readUint(await reader.take(size!)) * 1e-9 || 1e-3;
      else if (id === ids.duration) {
        if (readFloat(await reader.take(size!)) * scale > maxSeconds) throw new ServiceError('file_too_long');
      } else if (id === ids.trackEntry && !track) {
        track = parseTrackEntry(await reader.take(size!));
        decoder = await track?.createDecoder();
        if (!decoder) track = undefined;
        else timeline = new Timeline(decoder);
      } else if ((id === ids.simpleBlock || id === ids.block) && track && timeline) {
        const block = await readBlock(reader, size!, track, clusterTime, scale);
        if (block && id === ids.block) held = block;
        else if (block) yield* timeline.place(block, 0);
      } else if (id !== ids.discardPadding) await reader.skip(size!);
    }
    if (held && timeline) yield* timeline.place(held, 0);
  } finally {
    decoder?.free();
  }
}

function fits({ id, size, headerBytes }: ElementHeader, position: number, clusterEnd: number): boolean {
  if (!known.has(id)) return false;
  if (entered.has(id)) return true;
  if (size === undefined) return false;
  if (id === ids.simpleBlock || id === ids.block) {
    return size <= maxBlockBytes && (position >= clusterEnd || position + headerBytes + size <= clusterEnd);
  }
  return !Object.values(ids).includes(id) || size <= (id === ids.trackEntry ? maxFieldBytes : 8);
}

/** A block's frames, or nothing where it belongs to another track or its lacing is broken. */
async function readBlock(
  reader: ByteReader,
  size: number,
  track: WebmTrack,
  clusterTime: number,
  scale: number,
): Promise<Block | undefined> {
  const number = readVint(await reader.peek(Math.min(size, 8)), 0);
  if (number?.value !== track.number || size < number.bytes + 3 || size > maxFieldBytes) {
    await reader.skip(size);
    return undefined;
  }
  const body = await reader.take(size);
  if (body.length < size) return undefined;
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  const seconds = (clusterTime + view.getInt16(number.bytes)) * scale;
  const frames = unlace(body.subarray(number.bytes + 3), (body[number.bytes + 2]! >> 1) & 3);
  return frames && { seconds, frames: frames.map((frame) => joinBytes([track.strippedHeader, frame])) };
}

/** Decodes blocks and keeps them at their times: silence stands for what is missing before one. */
class Timeline {
  readonly #decoder: PacketDecoder;
  #leadIn: number;
  /** When the next block is due. */
  #dueSeconds: number | undefined;

  constructor(decoder: PacketDecoder) {
    this.#decoder = decoder;
    this.#leadIn = decoder.leadIn;
  }

  async *place(block: Block, discardSeconds: number): AsyncGenerator<AudioBlock> {
    const rate = this.#decoder.sampleRate;
    this.#dueSeconds ??= block.seconds;
    const gap = block.seconds - this.#dueSeconds;
    if (gap > maxGapSeconds || gap < -maxGapSeconds) this.#dueSeconds = block.seconds;
    else if (gap > gapToleranceSeconds) {
      this.#dueSeconds = block.seconds;
      yield* silence(Math.round(gap * rate), rate);
    }
    for (const [index, frame] of block.frames.entries()) {
      const decoded = await this.#decoder.decode(frame).catch(() => undefined);
      if (!decoded) continue;
      const length = decoded.channels[0]!.length;
      this.#dueSeconds += length / rate;
      const last = index === block.frames.length - 1;
      const kept = trimBlock(decoded, this.#leadIn, last ? Math.round(discardSeconds * rate) : 0);
      this.#leadIn = Math.max(0, this.#leadIn - length);
      if (kept.channels[0]!.length > 0) yield kept;
    }
  }
}

async function skipToCluster(reader: ByteReader): Promise<void> {
  await reader.skip(1);
  for (;;) {
    const window = await reader.peek(searchBytes);
    const at = Buffer.from(window.buffer, window.byteOffset, window.length).indexOf('1f43b675', 0, 'hex');
    const atEnd = window.length < searchBytes;
    await reader.skip(at >= 0 ? at : atEnd ? window.length : window.length - 3);
    if (at >= 0 || atEnd) return;
  }
}
