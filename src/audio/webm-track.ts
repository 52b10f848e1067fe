import { childElements, readUint, readVint } from './ebml.ts';
import { createFlacDecoder } from './flac-packets.ts';
import { createOpusDecoder } from './opus-packets.ts';
import type { PacketDecoder } from './packet-decoder.ts';
import { createVorbisDecoder } from './vorbis-packets.ts';

/** An audio track that can be decoded. */
export type WebmTrack = {
  number: number;
  /** Bytes that the muxer has taken off the front of every frame. */
  strippedHeader: Uint8Array;
  createDecoder(): Promise<PacketDecoder | undefined>;
};

const ids = {
  number: 0xd7,
  type: 0x83,
  codec: 0x86,
  codecPrivate: 0x63a2,
  contentEncodings: 0x6d80,
  contentEncoding: 0x6240,
  contentCompression: 0x5034,
  compressionAlgorithm: 0x4254,
  compressionSettings: 0x4255,
  encryption: 0x5035,
};
const audioType = 2;
const headerStripping = 3;

/** The body of a TrackEntry → the track, or nothing where it is not audio or not a codec known here. */
export function parseTrackEntry(body: Uint8Array): WebmTrack | undefined {
  const fields = new Map([...childElements(body)].map((child) => [child.id, child.body]));
  const field = (id: number) => fields.get(id) ?? new Uint8Array(0);
  const strippedHeader = parseStrippedHeader(field(ids.contentEncodings));
  if (readUint(field(ids.type)) !== audioType || !strippedHeader) return undefined;
  const codecPrivate = field(ids.codecPrivate);
  const create = {
    A_OPUS: () => createOpusDecoder([codecPrivate]),
    A_VORBIS: () => createVorbisDecoder(splitXiphHeaders(codecPrivate)),
    A_FLAC: () => createFlacDecoder([codecPrivate]),
  }[Buffer.from(field(ids.codec)).toString('latin1').replace(/\0+$/, '')];
  return create && { number: readUint(field(ids.number)), strippedHeader, createDecoder: create };
}

function parseStrippedHeader(encodings: Uint8Array): Uint8Array | undefined {
  let stripped = new Uint8Array(0);
  for (const encoding of childElements(encodings)) {
    for (const part of childElements(encoding.body)) {
      if (part.id === ids.encryption) return undefined;
      if (part.id !== ids.contentCompression) continue;
      const settings = new Map([...childElements(part.body)].map((child) => [child.id, child.body]));
      if (readUint(settings.get(ids.compressionAlgorithm) ?? new Uint8Array(1)) !== headerStripping)
        return undefined;
      stripped = Uint8Array.from(settings.get(ids.compressionSettings) ?? []);
    }
  }
  return stripped;
}

/** Xiph lacing: a count, all lengths but the last, then the packets. */
export function splitXiphHeaders(bytes: Uint8Array): Uint8Array[] {
  return unlaceXiph(bytes) ?? [];
}

/** The frames of a block's body, which begins with the lace count (matroska.org/technical/notes.html#block-lacing). */
export function unlace(body: Uint8Array, lacing: number): Uint8Array[] | undefined {
  if (lacing === 0) return [body];
  if (lacing === 1) return unlaceXiph(body);
  if (lacing === 3) return unlaceEbml(body);
  const count = (body[0] ?? 0) + 1;
  const size = (body.length - 1) / count;
  return Number.isInteger(size) ? cut(body, 1, Array(count).fill(size)) : undefined;
}

function unlaceXiph(body: Uint8Array): Uint8Array[] | undefined {
  const sizes: number[] = [];
  let at = 1;
  for (let i = 0; i < (body[0] ?? 0); i++) {
    let size = 0;
    while (body[at] === 255) size += body[at++]!;
    size += body[at++] ?? 0;
    sizes.push(size);
  }
  return cut(body, at, sizes);
}

function unlaceEbml(body: Uint8Array): Uint8Array[] | undefined {
  const sizes: number[] = [];
  let at = 1;
  for (let i = 0; i < (body[0] ?? 0); i++) {
    const vint = readVint(body, at);
    if (!vint) return undefined;
    at += vint.bytes;
    const bias = 2 ** (7 * vint.bytes - 1) - 1;
    sizes.push(i === 0 ? vint.value : sizes[i - 1]! + vint.value - bias);
  }
  return cut(body, at, sizes);
}

/** Pieces of the given sizes and, where any bytes are left, the rest. */
function cut(body: Uint8Array, from: number, sizes: number[]): Uint8Array[] | undefined {
  const pieces: Uint8Array[] = [];
  let at = from;
  for (const size of sizes) {
    if (size < 0 || at + size > body.length) return undefined;
    pieces.push(body.subarray(at, at + size));
    at += size;
  }
  if (at < body.length) pieces.push(body.subarray(at));
  return pieces;
}
