import type { ByteReader } from './byte-reader.ts';

/** Skips ID3v2 tags, however large their pictures (id3.org, ID3v2.4 §3.1); returns whether there was one. */
export async function skipId3v2(reader: ByteReader): Promise<boolean> {
  let found = false;
  for (;;) {
    const head = await reader.peek(10);
    if (head.length < 10 || head[0] !== 0x49 || head[1] !== 0x44 || head[2] !== 0x33) return found;
    const size = [6, 7, 8, 9].reduce((sum, at) => sum * 128 + (head[at]! & 0x7f), 0);
    const footer = head[5]! & 0x10 ? 10 : 0;
    await reader.skip(10 + size + footer);
    found = true;
  }
}
