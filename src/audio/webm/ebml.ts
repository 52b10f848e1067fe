import type { ByteReader } from '../byte-reader.ts';

/** EBML (RFC 8794): every element is an id, a size and a body. */
export type ElementHeader = { id: number; size: number | undefined; headerBytes: number };
export type Element = { id: number; body: Uint8Array };

const maxHeaderBytes = 12;

export async function peekElementHeader(reader: ByteReader): Promise<ElementHeader | undefined> {
  return parseElementHeader(await reader.peek(maxHeaderBytes), 0);
}

export function parseElementHeader(bytes: Uint8Array, at: number): ElementHeader | undefined {
  const idBytes = Math.clz32((bytes[at] ?? 0) << 24) + 1;
  const size = readVint(bytes, at + idBytes);
  if (idBytes > 4 || !size) return undefined;
  let id = 0;
  for (let i = 0; i < idBytes; i++) id = id * 256 + bytes[at + i]!;
  return { id, size: size.unknown ? undefined : size.value, headerBytes: idBytes + size.bytes };
}

/** A number whose leading zeros tell its length; all ones means "unknown". */
export function readVint(
  bytes: Uint8Array,
  at: number,
): { value: number; unknown: boolean; bytes: number } | undefined {
  const first = bytes[at] ?? 0;
  const length = Math.clz32(first << 24) + 1;
  if (length > 8 || at + length > bytes.length) return undefined;
  let value = first & (0xff >> length);
  let ones = value === 0xff >> length;
  for (let i = 1; i < length; i++) {
    value = value * 256 + bytes[at + i]!;
    ones &&= bytes[at + i] === 0xff;
  }
  return { value, unknown: ones, bytes: length };
}

/** The elements inside a master that is already in memory; stops at the first that does not fit. */
export function* childElements(body: Uint8Array): Generator<Element> {
  for (let at = 0; at < body.length; ) {
    const header = parseElementHeader(body, at);
    if (!header || header.size === undefined || at + header.headerBytes + header.size > body.length) return;
    at += header.headerBytes + header.size;
    yield { id: header.id, body: body.subarray(at - header.size, at) };
  }
}

/** The bodies of the elements inside a master, by id; of several with the same id, the last. */
export function childBodies(body: Uint8Array): Map<number, Uint8Array> {
  return new Map([...childElements(body)].map((child) => [child.id, child.body]));
}

export function readUint(body: Uint8Array): number {
  return body.reduce((value, byte) => value * 256 + byte, 0);
}

export function readInt(body: Uint8Array): number {
  const unsigned = readUint(body);
  return body.length > 0 && body[0]! >= 0x80 ? unsigned - 256 ** body.length : unsigned;
}

export function readFloat(body: Uint8Array): number {
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  return body.length === 8 ? view.getFloat64(0) : body.length === 4 ? view.getFloat32(0) : 0;
}
