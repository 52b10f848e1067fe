/** A FLAC stream that has begun a frame of the largest kind, and sends on without ever finishing it. */
export function unfinishedFlac(): Uint8Array[] {
  const info = Buffer.alloc(42);
  info.write('fLaC', 0);
  info[4] = 0x80;
  info[7] = 34;
  info.writeUInt16BE(65_535, 8);
  info.writeUInt16BE(65_535, 10);
  // 48 kHz, 8 channels, 32 bits.
  info.writeUInt32BE(((48_000 << 12) >>> 0) + (7 << 9) + (31 << 4), 18);
  const frame = Buffer.from([0xff, 0xf8, 0x7a, 0x70, 0x00, 0xff, 0xfe, 0]);
  frame[7] = checksum(frame.subarray(0, 7));
  const filler = Buffer.alloc(250_000, 1);
  return [info, frame, ...Array.from({ length: 9 }, () => filler)];
}

/** CRC-8 with the polynomial of FLAC's frame headers. */
function checksum(bytes: Uint8Array): number {
  let sum = 0;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = ((sum << 1) ^ (sum & 0x80 ? 0x07 : 0)) & 0xff;
  }
  return sum;
}
