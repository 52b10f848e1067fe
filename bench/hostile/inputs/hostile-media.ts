import type { Random } from '../../../evaluation/random.ts';
import { fixture } from '../../../evaluation/spoken-files.ts';
import type { MutatedRequest, RequestContext } from './mutated-request.ts';
import { transcriptions, uploadOf } from './wire.ts';

/** Files that are small and claim to be huge, deep or endless. */
const files: Record<string, (random: Random) => Uint8Array> = {
  'a wav of an absurd rate': (random) =>
    wav({ rate: random.pick([0, 1, 3, 7999, 1e6, 0x7fff_ffff, 0xffff_ffff]) }),
  'a wav of absurdly many channels': (random) => wav({ channels: random.pick([0, 3, 255, 1000, 65_535]) }),
  'a wav of absurd samples': (random) => wav({ bits: random.pick([0, 1, 7, 12, 64, 65_535]) }),
  'a wav of an unknown coding': (random) =>
    wav({ format: random.pick([0, 2, 0x11, 0x31, 0x55, 0xfffe, 0xffff]) }),
  'a wav that claims 4 GB': (random) =>
    wav({ claimed: random.pick([0, 0x7fff_ffff, 0xffff_fff0, 0xffff_ffff]) }),
  'a wav of blocks that are no size': (random) => wav({ blockBytes: random.pick([0, 1, 3, 65_535]) }),
  'a wav of chunks without end': (random) =>
    Buffer.concat([wav({}).subarray(0, 36), ...Array.from({ length: 5000 }, () => chunk('LIST', 0, random))]),
  'a wav with a chunk that claims 4 GB': (random) =>
    Buffer.concat([wav({}).subarray(0, 12), chunk('junk', 0xffff_fffe, random), wav({}).subarray(12)]),
  'an RF64 that claims 2^63 bytes': () => {
    const ds64 = Buffer.alloc(36, 0xff);
    ds64.write('ds64');
    ds64.writeUInt32LE(28, 4);
    const file = wav({ claimed: 0xffff_ffff });
    return Buffer.concat([Buffer.from('RF64\xff\xff\xff\xffWAVE', 'latin1'), ds64, file.subarray(12)]);
  },
  'an mp3 behind an endless tag': (random) =>
    Buffer.concat([
      id3(random.pick([0x0fff_ffff, 100_000])),
      Buffer.alloc(random.pick([100, 99_990, 300_000])),
    ]),
  'an mp3 behind a thousand tags': () =>
    Buffer.concat([
      ...Array.from({ length: 1000 }, () => id3(0)),
      fixture('speech-22k-vbr.mp3').subarray(0, 1500),
    ]),
  'an mp3 that claims to go on for ever': (random) =>
    patched(
      fixture('speech-22k-vbr.mp3').subarray(0, 4000),
      'Xing',
      8,
      random.pick([0xffff_ffff, 0x7fff_ffff, 600_000]),
    ),
  'an mp3 of headers alone': (random) =>
    Buffer.concat(
      Array.from({ length: 5000 }, () => Buffer.from([0xff, 0xfb, random.pick([0x10, 0x90, 0xe0]), 0])),
    ),
  'a flac that claims 2^36 samples': () => {
    const file = Buffer.from(fixture('speech.flac').subarray(0, 9000));
    file[21] = file[21]! | 0x0f;
    return file.fill(0xff, 22, 26);
  },
  'a flac of an absurd rate': (random) => {
    const file = Buffer.from(fixture('speech.flac').subarray(0, 9000));
    file[18] = random.pick([0, 0xff]);
    file[19] = random.pick([0, 0xff]);
    return file;
  },
  'a flac of metadata without end': () => {
    const block = Buffer.from([4, 0xff, 0xff, 0xff]);
    const start = fixture('speech.flac').subarray(0, 42);
    return Buffer.concat([start, ...Array.from({ length: 20 }, () => block), Buffer.alloc(50_000)]);
  },
  'a flac of frame heads alone': () =>
    Buffer.concat([
      fixture('speech.flac').subarray(0, 42),
      ...Array.from({ length: 20_000 }, () => Buffer.from([0xff, 0xf8, 0xc9, 0x18])),
    ]),
  'a webm of elements in elements': () => {
    const opened = Buffer.from([0x18, 0x53, 0x80, 0x67, 0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);
    return Buffer.concat([
      fixture('speech-opus.webm').subarray(0, 40),
      ...Array.from({ length: 20_000 }, () => opened),
    ]);
  },
  'a webm with an element of exabytes': (random) => {
    const file = Buffer.from(fixture('speech-opus.webm'));
    const id = random.pick([
      [0x16, 0x54, 0xae, 0x6b],
      [0x1f, 0x43, 0xb6, 0x75],
      [0x15, 0x49, 0xa9, 0x66],
      [0xae],
    ]);
    const at = Math.max(0, Buffer.from(file).indexOf(Buffer.from(id)));
    return Buffer.concat([
      file.subarray(0, at),
      Buffer.from([...id, 0x01, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
      file.subarray(at),
    ]);
  },
  'a webm whose clock jumps': (random) => {
    const file = Buffer.from(fixture('speech-opus.webm').subarray(0, 5000));
    const at = Buffer.from(file).indexOf(Buffer.from([0xe7, 0x81]));
    const time = random.pick([60_000, 3_600_000, 14_300_000, 2 ** 40, 2 ** 52]);
    const timestamp = Buffer.from([0xe7, 0x88, 0, 0, 0, 0, 0, 0, 0, 0]);
    timestamp.writeBigUInt64BE(BigInt(time), 2);
    // A second cluster far away from the first.
    const cluster = Buffer.from([0x1f, 0x43, 0xb6, 0x75, 0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);
    return Buffer.concat([file, cluster, timestamp, file.subarray(Math.max(0, at) + 3)]);
  },
  'a webm of an absurd clock': (random) => {
    const file = Buffer.from(fixture('speech-opus.webm').subarray(0, 5000));
    const at = Buffer.from(file).indexOf(Buffer.from([0x2a, 0xd7, 0xb1, 0x83]));
    if (at >= 0) file.writeUIntBE(random.pick([0, 1, 0xff_ffff]), at + 4, 3);
    return file;
  },
  'a webm of lacing without end': (random) => {
    const file = fixture('speech-opus.webm').subarray(0, 1000);
    const block = Buffer.alloc(300, 0xff);
    Buffer.from([0xa3, 0x41, 0x28, 0x81, 0, 0, random.pick([0x02, 0x04, 0x06])]).copy(block);
    return Buffer.concat([file, ...Array.from({ length: 200 }, () => block)]);
  },
  'an ogg page that claims to be the last of millions': (random) => {
    const file = Buffer.from(fixture('speech-opus.ogg').subarray(0, 5000));
    const at = file.lastIndexOf('OggS');
    file.fill(random.pick([0xff, 0x7f]), at + 6, at + 14);
    return file;
  },
  'an ogg of empty pages': () => {
    const page = Buffer.alloc(27);
    page.write('OggS');
    return Buffer.concat([
      fixture('speech-opus.ogg').subarray(0, 300),
      ...Array.from({ length: 10_000 }, () => page),
    ]);
  },
  'an ogg of a thousand streams': () => {
    const start = fixture('speech-vorbis.ogg').subarray(0, 58);
    return Buffer.concat(Array.from({ length: 1000 }, () => start));
  },
  'an opus head of absurd numbers': (random) => {
    const file = Buffer.from(fixture('speech-opus.ogg').subarray(0, 5000));
    const at = Buffer.from(file).indexOf('OpusHead');
    file[at + 9] = random.pick([0, 3, 255]); // channels
    file.writeUInt16LE(random.pick([0, 0xffff]), at + 10); // pre-skip
    file.writeInt16LE(random.pick([-32_768, 32_767]), at + 16); // gain
    file[at + 18] = random.pick([0, 1, 255]); // mapping
    return file;
  },
  'something compressed': () =>
    Buffer.from('1f8b0800000000000003edc1010d000000c2a0f74f6d0e37a00000000000000000', 'hex'),
  'a zip': () => Buffer.from('PK\x03\x04\x14\0\0\0\x08\0', 'latin1'),
  'a playlist of addresses': () =>
    Buffer.from('#EXTM3U\nfile:///etc/passwd\nhttp://169.254.169.254/latest\n'),
  'an svg': () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>'),
  'a billion laughs': () =>
    Buffer.from('<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><l>&b;</l>'),
  noughts: (random) => Buffer.alloc(random.below(500_000)),
  noise: (random) => Buffer.from(Array.from({ length: random.below(20_000) }, () => random.below(256))),
};

export function hostileMedia({ random, key }: RequestContext): MutatedRequest {
  const name = random.pick(Object.keys(files));
  const fields: [string, string][] = [['model', 'siann-1']];
  return {
    name,
    method: 'POST',
    path: transcriptions,
    bytes: uploadOf(files[name]!(random), key, fields),
    ends: false,
  };
}

type WavClaims = {
  format?: number;
  channels?: number;
  rate?: number;
  blockBytes?: number;
  bits?: number;
  claimed?: number;
};

function wav(claims: WavClaims): Buffer {
  const { format = 1, channels = 1, rate = 16_000, bits = 16, claimed } = claims;
  const sound = Buffer.alloc(20_000);
  const head = Buffer.alloc(44);
  head.write('RIFF');
  head.writeUInt32LE(claimed ?? 36 + sound.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(format, 20);
  head.writeUInt16LE(channels, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE((rate * channels * 2) % 2 ** 32, 28);
  head.writeUInt16LE(claims.blockBytes ?? Math.min(65_535, Math.ceil((channels * bits) / 8)), 32);
  head.writeUInt16LE(bits, 34);
  head.write('data', 36);
  head.writeUInt32LE(claimed ?? sound.length, 40);
  return Buffer.concat([head, sound]);
}

function chunk(name: string, claimed: number, random: Random): Buffer {
  const bytes = Buffer.alloc(8 + random.below(4) * 2);
  bytes.write(name);
  bytes.writeUInt32LE(claimed || bytes.length - 8, 4);
  return bytes;
}

/** An ID3v2 head; its size is written in seven bits a byte. */
function id3(size: number): Buffer {
  const bytes = [size >> 21, size >> 14, size >> 7, size].map((part) => part & 0x7f);
  return Buffer.from([0x49, 0x44, 0x33, 4, 0, 0, ...bytes]);
}

function patched(file: Uint8Array, name: string, offset: number, value: number): Buffer {
  const bytes = Buffer.from(file);
  const at = Buffer.from(bytes).indexOf(name);
  if (at >= 0) bytes.writeUInt32BE(value, at + offset);
  return bytes;
}
