import { ServiceError } from '../../errors/service-error.ts';
import { type ByteReader, joinBytes } from '../byte-reader.ts';
import {
  type ElementHeader,
  parseElementHeader,
  peekElementHeader,
  readFloat,
  readInt,
  readUint,
  readVint,
} from './ebml.ts';
import { elementIds as ids } from './matroska-ids.ts';
import { unlace } from './matroska-lacing.ts';
import { parseTrackEntry, type WebmTrack } from './webm-track.ts';

export type WebmBlock = { seconds: number; frames: Uint8Array[]; discardSeconds: number };

/** The track comes once, before its blocks. */
export type WebmItem =
  | { kind: 'duration'; seconds: number }
  | { kind: 'track'; track: WebmTrack }
  | { kind: 'block'; block: WebmBlock };

/** Elements whose children are read one after another, as if they stood in the file themselves. */
const entered: ReadonlySet<number> = new Set([
  ids.segment,
  ids.info,
  ids.tracks,
  ids.cluster,
  ids.blockGroup,
]);
/** What may follow a block within its group. */
const groupMembers: ReadonlySet<number> = new Set([
  ids.discardPadding,
  ids.blockDuration,
  ids.referenceBlock,
  ids.referencePriority,
  ids.codecState,
  ids.blockAdditions,
]);
/** What is read as a number. */
const numbers: ReadonlySet<number> = new Set([
  ids.timestampScale,
  ids.duration,
  ids.timestamp,
  ids.discardPadding,
]);
/** An element with another id is damage. Those that are neither entered nor read are skipped. */
const known: ReadonlySet<number> = new Set(Object.values(ids));
/** Where reading can go on after damage. */
const restarts: ReadonlySet<number> = new Set([ids.simpleBlock, ids.blockGroup, ids.cluster]);
const clusterFirstByte = ids.cluster >>> 24;
const maxTrackBytes = 1 << 20;
const maxBlockBytes = 64 << 20;
const maxAudioBlockBytes = 1 << 20;
const searchBytes = 16_384;

/**
 * Matroska (RFC 9559) read strictly forwards, one element after another without a tree: unknown sizes need no care, and after damage
 * reading goes on at the next block or cluster. mediabunny 1.61 could not be used here: it collects a whole cluster before it gives
 * its first block (for a recorder's endless cluster, the whole file), and its stream source allocates at once whatever size a header
 * claims.
 */
export async function* readWebm(reader: ByteReader): AsyncGenerator<WebmItem> {
  let track: WebmTrack | undefined;
  let scale = 1e-3;
  let clusterTime = 0;
  let clusterEnd = Number.POSITIVE_INFINITY;
  let held: WebmBlock | undefined;
  while ((await reader.peek(1)).length > 0) {
    const header = await peekElementHeader(reader);
    if (reader.position >= clusterEnd) clusterEnd = Number.POSITIVE_INFINITY;
    if (!header || !isSound(header, clusterEnd - reader.position)) {
      clusterEnd = Number.POSITIVE_INFINITY;
      await skipDamage(reader);
      continue;
    }
    await reader.skip(header.headerBytes);
    const { id, size = Number.POSITIVE_INFINITY } = header;
    // How much of a block is padding comes after it in its group.
    if (held && !groupMembers.has(id)) {
      yield { kind: 'block', block: held };
      held = undefined;
    }
    if (id === ids.cluster) {
      if (!track) throw new ServiceError('invalid_file_format');
      clusterEnd = reader.position + size;
    } else if (id === ids.timestamp) clusterTime = readUint(await reader.take(size));
    else if (id === ids.timestampScale) scale = readUint(await reader.take(size)) * 1e-9 || scale;
    else if (id === ids.duration)
      yield { kind: 'duration', seconds: readFloat(await reader.take(size)) * scale };
    else if (id === ids.trackEntry && !track) {
      track = parseTrackEntry(await reader.take(size));
      if (track) yield { kind: 'track', track };
    } else if ((id === ids.simpleBlock || id === ids.block) && track) {
      const block = await readBlock(reader, size, track, clusterTime, scale);
      if (id === ids.block) held = block;
      else if (block) yield { kind: 'block', block };
    } else if (id === ids.discardPadding) {
      const nanoseconds = readInt(await reader.take(size));
      if (held) held.discardSeconds = nanoseconds * 1e-9;
    } else if (!entered.has(id)) await reader.skip(size);
  }
  if (held) yield { kind: 'block', block: held };
}

/** Whether an element is plausible: its id is known, and such an element may have this size. */
function isSound({ id, size, headerBytes }: ElementHeader, clusterLeft: number): boolean {
  if (!known.has(id)) return false;
  if (entered.has(id)) return true;
  if (size === undefined) return false;
  if (id === ids.simpleBlock || id === ids.block)
    return size <= maxBlockBytes && headerBytes + size <= clusterLeft;
  if (id === ids.trackEntry) return size <= maxTrackBytes;
  return size <= 8 || !numbers.has(id);
}

/** A block with its frames; undefined where it belongs to another track or its lacing is broken. */
async function readBlock(
  reader: ByteReader,
  size: number,
  track: WebmTrack,
  clusterTime: number,
  scale: number,
): Promise<WebmBlock | undefined> {
  const number = readVint(await reader.peek(Math.min(size, 8)), 0);
  if (number?.value !== track.number || size < number.bytes + 3 || size > maxAudioBlockBytes) {
    await reader.skip(size);
    return undefined;
  }
  const body = await reader.take(size);
  if (body.length < size) return undefined;
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  const seconds = (clusterTime + view.getInt16(number.bytes)) * scale;
  const laced = unlace(body.subarray(number.bytes + 3), (body[number.bytes + 2]! >> 1) & 3);
  const frames = laced?.map((frame) => joinBytes([track.strippedHeader, frame]));
  return frames && { seconds, frames, discardSeconds: 0 };
}

/** Skips to the next cluster, or to the next block that is followed by another known element. */
async function skipDamage(reader: ByteReader): Promise<void> {
  await reader.skip(1);
  for (;;) {
    const window = await reader.peek(2 * searchBytes);
    const atEnd = window.length < 2 * searchBytes;
    const until = atEnd ? window.length : searchBytes;
    let at = 0;
    while (at < until && !isRestart(window, at)) at++;
    await reader.skip(at);
    if (at < until || atEnd) return;
  }
}

function isRestart(window: Uint8Array, at: number): boolean {
  const byte = window[at]!;
  if (byte !== clusterFirstByte && byte !== ids.simpleBlock && byte !== ids.blockGroup) return false;
  const header = parseElementHeader(window, at);
  if (header?.id === ids.cluster) return true;
  if (!header?.size || (header.id !== ids.simpleBlock && header.id !== ids.blockGroup)) return false;
  const following = parseElementHeader(window, at + header.headerBytes + header.size);
  return following !== undefined && restarts.has(following.id);
}
