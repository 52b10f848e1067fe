import { readVint } from './ebml.ts';

/** The frames of a block's body, which begins with the lace count (matroska.org/technical/notes.html#block-lacing). */
export function unlace(body: Uint8Array, lacing: number): Uint8Array[] | undefined {
  if (lacing === 0) return [body];
  if (lacing === 1) return unlaceXiph(body);
  if (lacing === 3) return unlaceEbml(body);
  const count = (body[0] ?? 0) + 1;
  const size = (body.length - 1) / count;
  return Number.isInteger(size) ? cut(body, 1, Array(count).fill(size)) : undefined;
}

/** A count, all lengths but the last, then the packets; Vorbis headers travel this way too. */
export function unlaceXiph(body: Uint8Array): Uint8Array[] | undefined {
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
