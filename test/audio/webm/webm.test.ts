import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixture } from '../../../evaluation/spoken-files.ts';
import { decodeAll, indexOf, join, noise } from '../fixtures.ts';

/** Files made by hand around uncompressed samples, so that the position of every sample can be checked. */
const rate = 16_000;
const blockMilliseconds = 100;
const signal = Float32Array.from({ length: rate }, (_, i) => (1 + (i % 30_000)) / 32_768);
const blocks = Array.from({ length: 10 }, (_, i) => samplesBetween(i * 1_600, (i + 1) * 1_600));
const unknownSize = [0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];

test('clusters and a segment of unknown size are read to the end', async () => {
  const clusters = blocks.map((body, i) =>
    join([0x1f, 0x43, 0xb6, 0x75], unknownSize, timestamp(i * blockMilliseconds), simpleBlock(body, 0)),
  );
  const file = join(ebmlHeader(), [0x18, 0x53, 0x80, 0x67], unknownSize, tracks(), ...clusters);
  assert.deepEqual(await decodeAll(file), signal);
});

test('blocks of other tracks are passed over', async () => {
  const video = () => element([0xa3], join([0x82, 0, 0, 0x80], noise(5_000)));
  const body = blocks.flatMap((block, i) => [video(), simpleBlock(block, i * blockMilliseconds), video()]);
  assert.deepEqual(await decodeAll(segment(tracks(), cluster(0, ...body))), signal);
});

for (const [name, lacing] of Object.entries({ Xiph: 1, fixed: 2, EBML: 3 })) {
  test(`${name} lacing is taken apart`, async () => {
    const frames = [samplesBetween(0, 400), samplesBetween(400, 800), samplesBetween(800, 1_200)];
    const sizes = { 1: [255, 255, 255, 35, 255, 255, 255, 35], 2: [], 3: [0x43, 0x20, 0x5f, 0xff] }[lacing]!;
    const laced = element([0xa3], join([0x81, 0, 0, 0x80 | (lacing << 1), 2], sizes, ...frames));
    assert.deepEqual(await decodeAll(segment(tracks(), cluster(0, laced))), signal.subarray(0, 1_200));
  });
}

test('a block group says how much of its end is padding', async () => {
  const padding = element([0x75, 0xa2], [0x02, 0xfa, 0xf0, 0x80]); // 50 ms in nanoseconds
  const group = element(
    [0xa0],
    join(element([0xa1], join([0x81, 0, 0, 0], blocks[0]!)), element([0x9b], [100]), padding),
  );
  assert.deepEqual(await decodeAll(segment(tracks(), cluster(0, group))), signal.subarray(0, 800));
});

test('bytes that the muxer has stripped from every frame are put back', async () => {
  const settings = join(element([0x42, 0x54], [3]), element([0x42, 0x55], blocks[0]!.subarray(0, 2)));
  const encoding = element([0x6d, 0x80], element([0x62, 0x40], element([0x50, 0x34], settings)));
  const file = segment(tracks(encoding), cluster(0, simpleBlock(blocks[0]!.subarray(2), 0)));
  assert.deepEqual(await decodeAll(file), signal.subarray(0, 1_600));
});

test('a gap between timestamps is silence of the same length', async () => {
  const later = [5, 6, 7].map((i) => simpleBlock(blocks[i]!, i * blockMilliseconds));
  const samples = await decodeAll(segment(tracks(), cluster(0, simpleBlock(blocks[0]!, 0), ...later)));
  const expected = signal.slice(0, 12_800);
  expected.fill(0, 1_600, 8_000);
  assert.deepEqual(samples, expected);
});

test('gaps stop at the limit', async () => {
  const clusters = Array.from({ length: 100 }, (_, i) =>
    cluster(i * 500_000, simpleBlock(blocks[0]!, 0), simpleBlock(blocks[1]!, 100)),
  );
  await assert.rejects(decodeAll(segment(tracks(), ...clusters), { maxSeconds: 2_000 }), {
    code: 'file_too_long',
  });
});

test('a declared duration beyond the limit is refused at once', async () => {
  const duration = new Uint8Array(8);
  new DataView(duration.buffer).setFloat64(0, 5 * 3_600_000);
  const info = element([0x15, 0x49, 0xa9, 0x66], element([0x44, 0x89], duration));
  const file = segment(info, tracks(), cluster(0, simpleBlock(blocks[0]!, 0)));
  await assert.rejects(decodeAll(file), { code: 'file_too_long' });
});

test('a block that claims more than its cluster holds costs only itself', async () => {
  const liar = join([0xa3, 0x08, 0x7f, 0xff, 0xff, 0xff], noise(100));
  const body = [simpleBlock(blocks[0]!, 0), simpleBlock(blocks[1]!, 100), liar];
  const rest = [2, 3, 4].map((i) => simpleBlock(blocks[i]!, i * blockMilliseconds));
  const samples = await decodeAll(segment(tracks(), cluster(0, ...body, ...rest)));
  assert.deepEqual(samples, signal.subarray(0, 8_000));
});

test('a number that claims megabytes is damage, not something to gather', async () => {
  const liar = join([0x75, 0xa2, 0x10, 0xff, 0xff, 0xff], noise(100));
  const body = [simpleBlock(blocks[0]!, 0), simpleBlock(blocks[1]!, 100), liar];
  const rest = [2, 3, 4].map((i) => simpleBlock(blocks[i]!, i * blockMilliseconds));
  const samples = await decodeAll(segment(tracks(), cluster(0, ...body, ...rest)));
  assert.deepEqual(samples, signal.subarray(0, 8_000));
});

test('a MediaRecorder file whose clusters are made endless decodes as before', async () => {
  const bytes = fixture('speech-opus-live.webm');
  const endless = bytes.slice();
  for (let at = indexOf(endless, [0x1f, 0x43, 0xb6, 0x75]); at >= 0; ) {
    endless.set(endless[at + 4]! & 0x80 ? [0xff] : endless[at + 4]! & 0x40 ? [0x7f, 0xff] : [], at + 4);
    at = indexOf(endless, [0x1f, 0x43, 0xb6, 0x75], at + 4);
  }
  assert.notDeepEqual(endless, bytes);
  assert.deepEqual(await decodeAll(endless), await decodeAll(bytes));
});

function segment(...children: Uint8Array[]): Uint8Array {
  return join(ebmlHeader(), element([0x18, 0x53, 0x80, 0x67], join(...children)));
}

function ebmlHeader(): Uint8Array {
  return element([0x1a, 0x45, 0xdf, 0xa3], element([0x42, 0x82], Buffer.from('matroska')));
}

/** Track 1 is audio, track 2 video. */
function tracks(extra: Uint8Array = new Uint8Array(0)): Uint8Array {
  const sampleRate = new Uint8Array(4);
  new DataView(sampleRate.buffer).setFloat32(0, rate);
  const audio = element(
    [0xe1],
    join(element([0xb5], sampleRate), element([0x9f], [1]), element([0x62, 0x64], [16])),
  );
  const codec = element([0x86], Buffer.from('A_PCM/INT/LIT'));
  const audioTrack = element([0xae], join(element([0xd7], [1]), element([0x83], [2]), codec, audio, extra));
  const videoTrack = element([0xae], join(element([0xd7], [2]), element([0x83], [1])));
  return element([0x16, 0x54, 0xae, 0x6b], join(videoTrack, audioTrack));
}

function cluster(milliseconds: number, ...children: Uint8Array[]): Uint8Array {
  return element([0x1f, 0x43, 0xb6, 0x75], join(timestamp(milliseconds), ...children));
}

function timestamp(milliseconds: number): Uint8Array {
  return element(
    [0xe7],
    [milliseconds >>> 24, (milliseconds >> 16) & 255, (milliseconds >> 8) & 255, milliseconds & 255],
  );
}

function simpleBlock(body: Uint8Array, milliseconds: number): Uint8Array {
  return element([0xa3], join([0x81, milliseconds >> 8, milliseconds & 255, 0x80], body));
}

function element(id: number[], body: ArrayLike<number>): Uint8Array {
  const size = [
    0x10 | (body.length >>> 24),
    (body.length >> 16) & 255,
    (body.length >> 8) & 255,
    body.length & 255,
  ];
  return join(id, size, body);
}

function samplesBetween(from: number, to: number): Uint8Array {
  return new Uint8Array(Int16Array.from(signal.subarray(from, to), (sample) => sample * 32_768).buffer);
}
