import { waveHeader } from '../../evaluation/wave-file.ts';

/** A wave file of a thousand samples that claims this rate. */
export function wavOfRate(rate: number): Uint8Array {
  const samples = 1000;
  return Buffer.concat([waveHeader(samples, rate), Buffer.alloc(samples * 2)]);
}

/** Chained Ogg: so many Opus streams one after another, each without any sound. */
export function oggOfLinks(count: number): Uint8Array {
  const head = Buffer.alloc(19);
  head.write('OpusHead', 0);
  head[8] = 1;
  head[9] = 1;
  head.writeUInt32LE(48_000, 12);
  const tags = Buffer.from('OpusTags');
  const links = Array.from({ length: count }, (_, i) => [page(i + 1, 0, 2, head), page(i + 1, 1, 0, tags)]);
  return Buffer.concat(links.flat());
}

function page(serial: number, sequence: number, flags: number, packet: Uint8Array): Buffer {
  const bytes = Buffer.alloc(28 + packet.length);
  bytes.write('OggS', 0);
  bytes[5] = flags;
  bytes.writeUInt32LE(serial, 14);
  bytes.writeUInt32LE(sequence, 18);
  bytes[26] = 1;
  bytes[27] = packet.length;
  bytes.set(packet, 28);
  bytes.writeUInt32LE(checksum(bytes), 22);
  return bytes;
}

/** CRC-32 as Ogg computes it: not reflected, and begun with nought. */
function checksum(bytes: Uint8Array): number {
  let sum = 0;
  for (const byte of bytes) {
    sum ^= byte << 24;
    for (let bit = 0; bit < 8; bit++) sum = (sum << 1) ^ (sum < 0 ? 0x04c11db7 : 0);
  }
  return sum >>> 0;
}
