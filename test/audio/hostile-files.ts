/** Files that nobody records: made to cost the decoder more than they cost their sender. */
import { crc16 } from '../../src/audio/flac/flac-frame.ts';
import { join } from './fixtures.ts';

const oggCrc = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 24;
  for (let bit = 0; bit < 8; bit++) crc = (crc << 1) ^ (crc < 0 ? 0x04c1_1db7 : 0);
  return crc >>> 0;
});

type PageOptions = {
  serial: number;
  sequence: number;
  /** 1 continued, 2 first, 4 last. */
  flags?: number;
  packets: Uint8Array[];
  /** The last packet goes on in the next page; its length is a multiple of 255. */
  unfinished?: boolean;
  granule?: number;
};

/** A page with a sound checksum. */
export function oggPage({
  serial,
  sequence,
  flags = 0,
  packets,
  unfinished,
  granule,
}: PageOptions): Uint8Array {
  const table = packets.flatMap(({ length }, i) => {
    const full = Array<number>(Math.floor(length / 255)).fill(255);
    return unfinished && i === packets.length - 1 ? full : [...full, length % 255];
  });
  const page = join(new Uint8Array(26), [table.length], table, ...packets);
  const view = new DataView(page.buffer);
  page.set(Buffer.from('OggS'));
  page[5] = flags;
  view.setBigInt64(6, BigInt(granule ?? -1), true);
  view.setUint32(14, serial, true);
  view.setUint32(18, sequence, true);
  let crc = 0;
  for (const byte of page) crc = (crc << 8) ^ oggCrc[(crc >>> 24) ^ byte]!;
  view.setUint32(22, crc >>> 0, true);
  return page;
}

/** Of one channel at 48 kHz. */
export function opusHead(): Uint8Array {
  const head = new Uint8Array(19);
  head.set(Buffer.from('OpusHead\x01\x01'));
  new DataView(head.buffer).setUint32(12, 48_000, true);
  return head;
}

export function opusTags(): Uint8Array {
  return new Uint8Array(Buffer.from('OpusTags'));
}

type FlacShape = { channels: number; bits: number; blockSamples: number };

/** "fLaC" and a STREAMINFO block that is the only one, at 48 kHz. */
export function flacHeader({ channels, bits, blockSamples }: FlacShape): Uint8Array {
  const header = new Uint8Array(42);
  const view = new DataView(header.buffer);
  header.set(Buffer.from('fLaC'));
  header[4] = 0x80;
  header[7] = 34;
  view.setUint16(8, blockSamples);
  view.setUint16(10, blockSamples);
  view.setUint32(18, 48_000 * 4_096 + (channels - 1) * 512 + (bits - 1) * 16);
  return header;
}

type FlacFrameShape = { channels: number; samples: number; number?: number };

/** The header of a frame at 48 kHz, with a sound checksum; its depth is that of STREAMINFO. */
export function flacFrameHeader({ channels, samples, number = 0 }: FlacFrameShape): Uint8Array {
  const header = Uint8Array.of(
    0xff,
    0xf8,
    0x7a,
    (channels - 1) << 4,
    number,
    (samples - 1) >> 8,
    (samples - 1) & 255,
    0,
  );
  let crc = 0;
  for (const byte of header.subarray(0, 7)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = ((crc << 1) ^ (crc & 0x80 ? 7 : 0)) & 0xff;
  }
  header[7] = crc;
  return header;
}

/** A frame of 65,535 equal samples of 16 bits in one channel; `number` is below 128. */
export function silentFlacFrame(number: number): Uint8Array {
  const header = flacFrameHeader({ channels: 1, samples: 65_535, number });
  const frame = join(header, [0, 0, 0], [0, 0]);
  const crc = crc16(frame.subarray(0, -2));
  frame.set([crc >> 8, crc & 255], frame.length - 2);
  return frame;
}

type WavShape = { channels?: number; sampleRate?: number; formatBytes?: number };

/** Of a wav with 16 bits whose data has no declared end. */
export function wavHeader({ channels = 1, sampleRate = 16_000, formatBytes = 16 }: WavShape): Uint8Array {
  const header = new Uint8Array(44);
  const view = new DataView(header.buffer);
  header.set(Buffer.from('RIFF\xff\xff\xff\xffWAVEfmt ', 'latin1'));
  view.setUint32(16, formatBytes, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, channels, true);
  view.setUint32(24, sampleRate, true);
  view.setUint16(32, (channels * 2) & 0xffff, true);
  view.setUint16(34, 16, true);
  header.set(Buffer.from('data\xff\xff\xff\xff', 'latin1'), 36);
  return header;
}

/** A webm of 8-bit samples in one block. */
export function pcmWebm({ sampleRate, block }: { sampleRate: number; block: Uint8Array }): Uint8Array {
  const rate = new Uint8Array(8);
  new DataView(rate.buffer).setFloat64(0, sampleRate);
  const audio = element([0xe1], join(element([0xb5], rate), element([0x62, 0x64], [8])));
  return webm(join(codec('A_PCM/INT/LIT'), audio), element([0xa3], join([0x81, 0, 0, 0], block)));
}

/** A webm of Opus whose muxer claims to have stripped so many bytes from every frame. */
export function strippedWebm(strippedBytes: number, blocks: Uint8Array): Uint8Array {
  const compression = join(element([0x42, 0x54], [3]), element([0x42, 0x55], new Uint8Array(strippedBytes)));
  const encodings = element([0x6d, 0x80], element([0x62, 0x40], element([0x50, 0x34], compression)));
  return webm(join(codec('A_OPUS'), element([0x63, 0xa2], opusHead()), encodings), blocks);
}

/** Blocks of 256 empty frames each. */
export function laceOfEmptyFrames(blocks: number): Uint8Array {
  const block = element([0xa3], join([0x81, 0, 0, 0x02, 255], new Uint8Array(255), [8]));
  return join(...Array.from({ length: blocks }, () => block));
}

function webm(track: Uint8Array, blocks: Uint8Array): Uint8Array {
  const entry = element([0xae], join(element([0xd7], [1]), element([0x83], [2]), track));
  const cluster = element([0x1f, 0x43, 0xb6, 0x75], join(element([0xe7], [0]), blocks));
  return join(
    element([0x1a, 0x45, 0xdf, 0xa3], element([0x42, 0x82], Buffer.from('webm'))),
    element([0x18, 0x53, 0x80, 0x67], join(element([0x16, 0x54, 0xae, 0x6b], entry), cluster)),
  );
}

function codec(name: string): Uint8Array {
  return element([0x86], Buffer.from(name));
}

/** Its size takes four bytes. */
function element(id: number[], body: ArrayLike<number>): Uint8Array {
  const size = [0x10 | (body.length >> 24), body.length >> 16, body.length >> 8, body.length];
  return join(
    id,
    size.map((byte) => byte & 255),
    body,
  );
}
