import { type ByteReader, joinBytes } from '../byte-reader.ts';

/** RFC 3533 §6. */
export type OggPage = {
  serial: number;
  first: boolean;
  last: boolean;
  /** The end of the last packet that is completed in this page, in the codec's clock; undefined where none is. */
  granule: number | undefined;
  /** Whether the checksum holds. */
  intact: boolean;
  sequence: number;
  continued: boolean;
  segments: Uint8Array[];
  /** Whether the last segment's packet goes on in the next page. */
  unfinished: boolean;
};

const headerBytes = 27;
const searchBytes = 4_096;
/** The rest of a longer packet is dropped: it is a picture in the comments. */
const maxPacketBytes = 1 << 20;
/** A file made of page headers must not cost a checksum for each of them. */
const maxFailedChecks = 1_000;
const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 24;
  for (let bit = 0; bit < 8; bit++) crc = (crc << 1) ^ (crc < 0 ? 0x04c1_1db7 : 0);
  return crc >>> 0;
});

export async function* readOggPages(reader: ByteReader): AsyncGenerator<OggPage> {
  let checksLeft = maxFailedChecks;
  for (;;) {
    const head = await reader.peek(headerBytes + 255);
    if (head.length < headerBytes) return;
    const table = head.subarray(headerBytes, headerBytes + head[26]!);
    const length = headerBytes + table.length + table.reduce((sum, size) => sum + size, 0);
    const bytes = isCapture(head, 0) ? await reader.peek(length + 4) : head.subarray(0, 0);
    // A few wrong bytes must cost a few packets, not the second of audio in a page: a page is kept if another begins where it ends.
    const framed = bytes.length === length || isCapture(bytes, length);
    const intact = bytes.length >= length && (framed || checksLeft > 0) && hasSoundChecksum(bytes, length);
    if (intact || framed) {
      await reader.skip(length);
      yield parsePage(bytes, table, intact);
    } else {
      if (bytes.length > 0) checksLeft--;
      await reader.skip(1);
      await skipToCapture(reader);
    }
  }
}

/** Joins one logical stream's segments into packets; a packet that a lost page has torn is dropped. */
export class PacketAssembler {
  /** The parts of a packet that goes on. They are joined once, since it may go on for thousands of pages. */
  #begun: Uint8Array[] | undefined;
  #begunBytes = 0;
  #nextSequence: number | undefined;

  packets(page: OggPage): Uint8Array[] {
    const follows = page.sequence === (this.#nextSequence ?? page.sequence);
    this.#nextSequence = (page.sequence + 1) >>> 0;
    const packets = [...page.segments];
    if (page.continued) {
      const rest = packets.shift() ?? new Uint8Array(0);
      const goesOn = page.unfinished && packets.length === 0;
      if (follows && this.#begun) this.#extend(rest);
      else this.#begun = undefined;
      if (goesOn) return [];
      if (this.#begun) packets.unshift(joinBytes(this.#begun));
    }
    this.#begun = undefined;
    const last = page.unfinished ? packets.pop() : undefined;
    if (last) this.#begin(last);
    return packets;
  }

  #begin(part: Uint8Array): void {
    this.#begun = [part];
    this.#begunBytes = part.length;
  }

  #extend(part: Uint8Array): void {
    if (part.length === 0 || this.#begunBytes >= maxPacketBytes) return;
    this.#begun!.push(part);
    this.#begunBytes += part.length;
  }
}

function parsePage(bytes: Uint8Array, table: Uint8Array, intact: boolean): OggPage {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const granule = view.getBigInt64(6, true);
  const segments: Uint8Array[] = [];
  let start = headerBytes + table.length;
  let end = start;
  for (const size of table) {
    end += size;
    if (size === 255) continue;
    segments.push(bytes.subarray(start, end));
    start = end;
  }
  const unfinished = table.length > 0 && table[table.length - 1] === 255;
  if (unfinished) segments.push(bytes.subarray(start, end));
  return {
    serial: view.getUint32(14, true),
    first: (bytes[5]! & 2) !== 0,
    last: (bytes[5]! & 4) !== 0,
    granule: granule >= 0n ? Number(granule) : undefined,
    intact,
    sequence: view.getUint32(18, true),
    continued: (bytes[5]! & 1) !== 0,
    segments,
    unfinished,
  };
}

function isCapture(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === 0x4f && bytes[at + 1] === 0x67 && bytes[at + 2] === 0x67 && bytes[at + 3] === 0x53;
}

async function skipToCapture(reader: ByteReader): Promise<void> {
  for (;;) {
    const window = await reader.peek(searchBytes);
    let at = 0;
    while (at < window.length && !isCapture(window, at)) at++;
    if (at < window.length) {
      await reader.skip(at);
      return;
    }
    await reader.skip(window.length < searchBytes ? window.length : window.length - 3);
    if (window.length < searchBytes) return;
  }
}

function hasSoundChecksum(page: Uint8Array, length: number): boolean {
  let crc = 0;
  for (let i = 0; i < length; i++) {
    const byte = i >= 22 && i < 26 ? 0 : page[i]!;
    crc = (crc << 8) ^ crcTable[(crc >>> 24) ^ byte]!;
  }
  return crc >>> 0 === new DataView(page.buffer, page.byteOffset).getUint32(22, true);
}
