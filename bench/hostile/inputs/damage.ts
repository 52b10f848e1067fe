import type { Random } from '../../../evaluation/random.ts';

type Damage = (bytes: Buffer, random: Random) => Buffer;

const damages: Record<string, Damage> = {
  'a flipped bit': (bytes, random) => {
    bytes[random.below(bytes.length)]! ^= 1 << random.below(8);
    return bytes;
  },
  'random bytes': (bytes, random) => {
    for (let count = 1 + random.below(40); count > 0; count--)
      bytes[random.below(bytes.length)] = random.below(256);
    return bytes;
  },
  'a run of one byte': (bytes, random) => {
    const at = random.below(bytes.length);
    const end = Math.min(bytes.length, at + 1 + random.below(200));
    return bytes.fill(random.pick([0, 0xff, 0x7f, 0x80]), at, end);
  },
  'an extreme number': (bytes, random) => {
    if (bytes.length < 4) return bytes;
    const at = random.below(Math.min(200, bytes.length - 3));
    const number = random.pick([0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0xffff_fffe]);
    if (random.next() < 0.5) bytes.writeUInt32LE(number, at);
    else bytes.writeUInt32BE(number, at);
    return bytes;
  },
  'a missing piece': (bytes, random) => {
    const at = random.below(bytes.length);
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + random.below(500))]);
  },
  'a piece twice': (bytes, random) => {
    const at = random.below(bytes.length);
    const end = at + 1 + random.below(500);
    return Buffer.concat([bytes.subarray(0, end), bytes.subarray(at)]);
  },
  'an inserted piece': (bytes, random) => {
    const at = random.below(bytes.length);
    const piece = Buffer.from(Array.from({ length: 1 + random.below(100) }, () => random.below(256)));
    return Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)]);
  },
  'an early end': (bytes, random) => bytes.subarray(0, random.below(bytes.length)),
};

/** One to three kinds of damage, the first bytes preferred: that is where files say what they are. */
export function damaged(bytes: Uint8Array, random: Random): { name: string; bytes: Buffer } {
  let result: Buffer = Buffer.from(bytes);
  const names: string[] = [];
  for (let count = 1 + random.below(3); count > 0 && result.length > 0; count--) {
    const name = random.pick(Object.keys(damages));
    const headBytes = Math.min(result.length, random.pick([16, 64, 300, result.length]));
    const head = damages[name]!(Buffer.from(result.subarray(0, headBytes)), random);
    result = Buffer.concat([head, result.subarray(headBytes)]);
    names.push(name);
  }
  return { name: names.join(', '), bytes: result };
}
