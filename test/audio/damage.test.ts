import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fixture, speechFiles } from '../../evaluation/spoken-files.ts';
import { ServiceError } from '../../src/errors/service-error.ts';
import { processorSeconds } from '../support/processor-seconds.ts';
import { correlate, decodeAll, indexOf, join, noise } from './fixtures.ts';

const reference = await decodeAll(fixture('speech-16k.wav'));
const clusterId = [0x1f, 0x43, 0xb6, 0x75];

for (const name of speechFiles.filter((name) => !name.includes('start'))) {
  test(`${name} with noise in its middle keeps its length, and the rest its time`, async () => {
    const bytes = fixture(name);
    const hurt = bytes.slice();
    hurt.set(noise(Math.min(1_500, bytes.length / 20)), Math.floor(bytes.length / 2));
    const samples = await decodeAll(hurt);
    // Where frames differ in size, how many the noise has covered can only be estimated.
    const slack = name.includes('vbr') ? 0.15 : 0.05;
    assert.ok(Math.abs(samples.length - reference.length) < slack * 16_000, `${samples.length / 16_000} s`);
    const [start, end] = [
      correlate(head(samples), head(reference)),
      correlate(tail(samples), tail(reference), 2_400),
    ];
    assert.ok(start.correlation > 0.95 && start.lag === 0);
    assert.ok(end.correlation > 0.9, `correlation ${end.correlation}`);
    assert.ok(Math.abs(end.lag) < slack * 16_000, `${end.lag} samples off`);
  });
}

test('an ogg page that is missing leaves silence of its length', async () => {
  for (const name of ['speech-opus.ogg', 'speech-vorbis.ogg', 'speech-flac.ogg']) {
    const bytes = fixture(name);
    const from = indexOf(bytes, 'OggS', Math.floor(bytes.length * 0.3));
    const to = indexOf(bytes, 'OggS', from + 4);
    const samples = await decodeAll(join(bytes.subarray(0, from), bytes.subarray(to)));
    assert.ok(Math.abs(samples.length - reference.length) <= 160, `${name}: ${samples.length / 16_000} s`);
    // Before the last page, what was lost and what that page pads cannot be told apart: up to a packet of 20 ms.
    const { lag, correlation } = correlate(tail(samples), tail(reference), 320);
    assert.ok(correlation > 0.9 && Math.abs(lag) <= 320, `${name}: ${correlation} at ${lag}`);
  }
});

test('a webm cluster that is missing leaves silence of its length', async () => {
  const bytes = fixture('speech-opus-live.webm');
  const from = indexOf(bytes, clusterId, indexOf(bytes, clusterId) + 4);
  const to = indexOf(bytes, clusterId, from + 4);
  const samples = await decodeAll(join(bytes.subarray(0, from), bytes.subarray(to)));
  assert.ok(Math.abs(samples.length - reference.length) <= 320, `${samples.length / 16_000} s`);
  const { lag, correlation } = correlate(tail(samples), tail(reference), 320);
  assert.ok(correlation > 0.9 && Math.abs(lag) <= 320, `${correlation} at ${lag}`);
  assert.ok(samples.some((_, i) => i % 1_600 === 0 && samples.subarray(i, i + 1_600).every((x) => x === 0)));
});

test('one block with a wild timestamp adds no silence', async () => {
  const bytes = fixture('speech-opus-live.webm').slice();
  const block = indexOf(bytes, [0xa3], indexOf(bytes, clusterId) + 500);
  const vint = bytes[block + 1]! & 0x80 ? 1 : 2;
  bytes.set([0x7f, 0xff], block + 1 + vint + 1);
  const samples = await decodeAll(bytes);
  assert.ok(Math.abs(samples.length - reference.length) < 1_600, `${samples.length / 16_000} s`);
});

test('a clock that leaps by hours adds no silence', async () => {
  const bytes = fixture('speech-opus-live.webm').slice();
  const second = indexOf(bytes, clusterId, indexOf(bytes, clusterId) + 4);
  const timestamp = indexOf(bytes, [0xe7, 0x82], second);
  const leapt = join(
    bytes.subarray(0, timestamp),
    [0xe7, 0x84, 0x02, 0, 0, 0],
    bytes.subarray(timestamp + 4),
  );
  const samples = await decodeAll(leapt);
  assert.ok(samples.length < 1.2 * reference.length, `${samples.length / 16_000} s`);
});

test('mp3 files joined with their tags play one after the other', async () => {
  const [first, second] = [fixture('speech-22k-vbr.mp3'), fixture('speech-44k-stereo-cbr.mp3')];
  const samples = await decodeAll(join(first, second));
  assert.ok(Math.abs(samples.length - 2 * reference.length) < 0.15 * 16_000, `${samples.length / 16_000} s`);
  assert.ok(correlate(tail(samples), tail(reference), 2_400).correlation > 0.9);
});

test('an mp3 behind a large picture or leading junk is found', async () => {
  const mp3 = fixture('speech-22k-vbr.mp3');
  const size = 5_000_000;
  const tag = [
    0x49,
    0x44,
    0x33,
    3,
    0,
    0,
    (size >> 21) & 127,
    (size >> 14) & 127,
    (size >> 7) & 127,
    size & 127,
  ];
  const picture = join(tag, noise(1 << 16)).subarray(0, 10);
  const tagged = (async function* () {
    yield picture;
    for (let sent = 0; sent < size; sent += 50_000) yield noise(50_000, sent);
    yield mp3;
  })();
  assert.deepEqual(await decodeAll(tagged), await decodeAll(mp3));
  assert.deepEqual(await decodeAll(join(noise(100_000), mp3)), await decodeAll(mp3));
});

test('chained ogg files play one after the other', async () => {
  const samples = await decodeAll(join(fixture('speech-opus.ogg'), fixture('speech-vorbis.ogg')));
  assert.equal(samples.length, 2 * reference.length);
});

test('pictures of megabytes in the comments of an ogg are skipped', async () => {
  const bytes = fixture('speech-opus.ogg');
  const second = indexOf(bytes, 'OggS', 4);
  const third = indexOf(bytes, 'OggS', indexOf(bytes, 'OpusTags'));
  const pages = Array.from({ length: 60 }, (_, i) => {
    const page = join(
      bytes.subarray(second, second + 26),
      [255],
      new Uint8Array(255).fill(255),
      new Uint8Array(65_025),
    );
    page[5] = i === 0 ? 0 : 1;
    page.set(Buffer.from('OpusTags'), 282);
    return page;
  });
  const last = join(bytes.subarray(second, second + 26), [1, 4], Buffer.from('last'));
  last[5] = 1;
  [...pages, last].forEach((page, i) => {
    new DataView(page.buffer).setUint32(18, i + 1, true);
  });
  const later = bytes.slice(third);
  const whole = join(bytes.subarray(0, second), ...pages, last, later);
  let next = 62;
  for (
    let at = indexOf(whole, 'OggS', whole.length - later.length);
    at >= 0;
    at = indexOf(whole, 'OggS', at + 4)
  ) {
    new DataView(whole.buffer).setUint32(at + 18, next++, true);
  }
  assert.ok(Math.abs((await decodeAll(whole)).length - reference.length) <= 320);
});

test('files made of nothing but headers take seconds of work, not minutes', async () => {
  const seconds = await processorSeconds(decodeHeaders);
  assert(seconds < 40, `${seconds} s of processor time`);
});

async function decodeHeaders(): Promise<void> {
  const flac = fixture('speech.flac');
  const frameAt = indexOf(flac, [0xff, 0xf8], 8_000);
  const flacHeaders = repeatBytes(flac.subarray(frameAt, frameAt + 7), 2_000_000);
  await decodedLength(join(flac.subarray(0, frameAt), flacHeaders));
  const page = fixture('speech-opus.ogg').slice(0, 47);
  page.fill(255, 26);
  await decodedLength(join(fixture('speech-opus.ogg').subarray(0, 47), repeatBytes(page, 4_000_000)));
  const block = [0xa3, 0x81, 0x81];
  const webm = fixture('speech-opus.webm');
  await decodedLength(
    join(
      webm.subarray(0, indexOf(webm, clusterId)),
      repeatBytes(clusterId, 1_000_000),
      repeatBytes(block, 1_000_000),
    ),
  );
}

test('a file cut at any byte ends as audio or as no audio, and never longer than it was', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...speechFiles),
      fc.double({ min: 0, max: 1, noNaN: true }),
      async (name, where) => {
        const bytes = fixture(name);
        const length = await decodedLength(bytes.subarray(0, Math.floor(where * bytes.length)));
        assert.ok(length <= reference.length + 1_600, `${name}: ${length}`);
      },
    ),
    { numRuns: 60 },
  );
});

test('wrong bytes anywhere never end in anything but audio or no audio', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...speechFiles),
      fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: 0, max: 255 })), {
        minLength: 1,
        maxLength: 30,
      }),
      async (name, edits) => {
        const bytes = fixture(name).slice();
        for (const [where, value] of edits) bytes[Math.floor(where * (bytes.length - 1))] = value;
        await decodedLength(bytes);
      },
    ),
    { numRuns: 100 },
  );
});

test('wrong bytes among the headers never end in anything but audio or no audio', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...speechFiles),
      fc.array(fc.tuple(fc.integer({ min: 4, max: 600 }), fc.integer({ min: 0, max: 255 })), {
        minLength: 1,
        maxLength: 4,
      }),
      async (name, edits) => {
        const bytes = fixture(name).slice();
        for (const [at, value] of edits) bytes[at] = value;
        await decodedLength(bytes);
      },
    ),
    { numRuns: 100 },
  );
});

/** How much came out before the end or before a refusal; anything thrown but a refusal fails the test. */
async function decodedLength(bytes: Uint8Array): Promise<number> {
  try {
    return (await decodeAll(bytes, { maxSeconds: 1_800 })).length;
  } catch (error) {
    if (error instanceof ServiceError && ['invalid_file_format', 'file_too_long'].includes(error.code))
      return 0;
    throw error;
  }
}

function repeatBytes(pattern: ArrayLike<number>, length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => pattern[i % pattern.length]!);
}

function head(samples: Float32Array): Float32Array {
  return samples.subarray(0, 16_000);
}

/** The last words. */
function tail(samples: Float32Array): Float32Array {
  return samples.subarray(-10_000);
}
