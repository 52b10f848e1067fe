import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixture } from '../../evaluation/spoken-files.ts';
import { BadAudio } from '../../src/audio/bad-audio.ts';
import { decodeAudio } from '../../src/audio/decode-audio.ts';
import { createFlacFrames } from '../../src/audio/flac/flac-frames.ts';
import { createResampler } from '../../src/audio/resample/resampler.ts';
import { processorSeconds } from '../support/processor-seconds.ts';
import { decodeAll, inChunks, indexOf, join } from './fixtures.ts';
import {
  flacFrameHeader,
  flacHeader,
  laceOfEmptyFrames,
  oggPage,
  opusHead,
  opusTags,
  pcmWebm,
  silentFlacFrame,
  strippedWebm,
  wavHeader,
} from './hostile-files.ts';

const silentConvert = () => new Float32Array(0);

test('single bytes behind a large unfinished FLAC frame cost no more than their own length', async () => {
  const frames = createFlacFrames();
  await frames.push(flacHeader({ channels: 8, bits: 32, blockSamples: 65_535 }), silentConvert);
  await frames.push(flacFrameHeader({ channels: 8, samples: 65_535 }), silentConvert);
  for (let i = 0; i < 9; i++) await frames.push(new Uint8Array(250_000).fill(1), silentConvert);
  const seconds = await processorSeconds(async () => {
    for (let i = 0; i < 9_000; i++) await frames.push(Uint8Array.of(1), silentConvert);
  });
  frames.free();
  assert(seconds < 0.5, `${seconds} s`);
});

test('a FLAC stream of headers whose frames never end is given up', async () => {
  const frames = createFlacFrames();
  const header = flacFrameHeader({ channels: 8, samples: 65_535 });
  const headers = join(...Array.from({ length: 8_000 }, () => header));
  await frames.push(flacHeader({ channels: 8, bits: 32, blockSamples: 65_535 }), silentConvert);
  const seconds = await processorSeconds(async () => {
    await assert.rejects(async () => {
      await frames.push(headers, silentConvert);
      for (let i = 0; i < 12; i++) await frames.push(new Uint8Array(250_000).fill(1), silentConvert);
    }, BadAudio);
  });
  frames.free();
  assert(seconds < 2, `${seconds} s`);
});

test('hours of digital silence in one piece of a FLAC stream are refused', async () => {
  const header = flacHeader({ channels: 1, bits: 16, blockSamples: 65_535 });
  const frames = (count: number) => Array.from({ length: count }, (_, number) => silentFlacFrame(number));
  const first = (channels: Float32Array[]) => channels[0]!;
  const honest = createFlacFrames();
  // The last frames wait for what follows them.
  assert((await honest.push(join(header, ...frames(40)), first)).length >= 35 * 65_535);
  honest.free();
  const hostile = createFlacFrames();
  await assert.rejects(hostile.push(join(header, ...frames(100)), first), /at the pace of speech/);
  hostile.free();
});

test('thousands of empty metadata blocks that come byte by byte are each read once', async () => {
  const frames = createFlacFrames();
  const header = flacHeader({ channels: 1, bits: 16, blockSamples: 4_096 });
  header[4] = 0;
  await frames.push(
    join(
      header,
      new Uint8Array(600_000).fill(0).map((_, i) => (i % 4 === 0 ? 4 : 0)),
    ),
    silentConvert,
  );
  const seconds = await processorSeconds(async () => {
    for (let i = 0; i < 4_000; i++) await frames.push(Uint8Array.of(i % 4 === 0 ? 4 : 0), silentConvert);
  });
  frames.free();
  assert(seconds < 0.5, `${seconds} s`);
});

test('a FLAC header that announces metadata of 16 MB is refused before any of it is gathered', async () => {
  const frames = createFlacFrames();
  const header = flacHeader({ channels: 1, bits: 16, blockSamples: 4_096 });
  header[4] = 0;
  await assert.rejects(
    frames.push(join(header, [6, 0xff, 0xff, 0xff], new Uint8Array(100)), silentConvert),
    BadAudio,
  );
  frames.free();
});

test('a filter for any rate takes about the same work to make', async () => {
  for (const rate of [47_999, 191_999, 767_999]) {
    const seconds = await processorSeconds(async () => void createResampler(rate));
    assert(seconds < 0.15, `${rate} Hz took ${seconds} s`);
  }
});

test('an odd high rate keeps tones of speech as they were', () => {
  const [rate, hertz] = [191_999, 3_000];
  const resampler = createResampler(rate);
  const input = Float32Array.from({ length: rate }, (_, i) => Math.sin((2 * Math.PI * hertz * i) / rate));
  const output = resampler.push(input);
  let error = 0;
  for (let i = 1_000; i < 15_000; i++) {
    error = Math.max(error, Math.abs(output[i]! - Math.sin((2 * Math.PI * hertz * i) / 16_000)));
  }
  assert(error < 1e-3, `${error}`);
});

test('links of an ogg without audio create no decoder, and those with a little audio are limited', async () => {
  const links = (count: number, ...packets: Uint8Array[]) =>
    join(
      ...Array.from({ length: count }, (_, serial) => [
        oggPage({ serial, sequence: 0, flags: 2, packets: [opusHead()] }),
        oggPage({ serial, sequence: 1, packets: [opusTags()] }),
        ...packets.map((packet, i) => oggPage({ serial, sequence: 2 + i, packets: [packet] })),
      ]).flat(),
    );
  const seconds = await processorSeconds(async () => {
    await assert.rejects(decodeAll(links(20_000)), { code: 'invalid_file_format' });
  });
  assert(seconds < 3, `${seconds} s`);
  await assert.rejects(decodeAll(links(501, Uint8Array.of(0x08))), {
    code: 'invalid_file_format',
    message: /too many pieces/,
  });
  assert((await decodeAll(links(20, Uint8Array.of(0x08)))).length > 0);
});

test('a packet over thousands of ogg pages is joined once', async () => {
  const start = fixture('speech-opus.ogg').subarray(0, indexOf(fixture('speech-opus.ogg'), 'OggS', 4));
  const serial = new DataView(start.buffer, start.byteOffset).getUint32(14, true);
  const part = new Uint8Array(255);
  const pages = Array.from({ length: 40_000 }, (_, i) =>
    oggPage({ serial, sequence: i + 1, flags: i % 4_000 === 0 ? 0 : 1, packets: [part], unfinished: true }),
  );
  const seconds = await processorSeconds(async () => {
    await assert.rejects(decodeAll(join(start, ...pages)), { code: 'invalid_file_format' });
  });
  assert(seconds < 2.5, `${seconds} s`);
});

test('a webm that puts a long header before every frame is refused', async () => {
  const seconds = await processorSeconds(async () => {
    await assert.rejects(decodeAll(strippedWebm(500_000, laceOfEmptyFrames(200))), {
      code: 'invalid_file_format',
    });
  });
  assert(seconds < 1, `${seconds} s`);
});

test('a block of a quarter of an hour is converted a second at a time', async () => {
  const file = pcmWebm({ sampleRate: 1_000, block: new Uint8Array(900_000).fill(128) });
  let most = 0;
  let samples = 0;
  const before = process.memoryUsage().arrayBuffers;
  for await (const chunk of decodeAudio(inChunks(file))) {
    samples += chunk.length;
    most = Math.max(most, process.memoryUsage().arrayBuffers - before);
  }
  assert.equal(samples, 900 * 16_000);
  assert(most < 40e6, `${most} bytes`);
});

test('an Opus header with more streams than channels are played is refused', async () => {
  const serial = 7;
  const head = join(opusHead().subarray(0, 9), [1], opusHead().subarray(10, 18), [255, 255, 0, 0]);
  const file = join(
    oggPage({ serial, sequence: 0, flags: 2, packets: [head] }),
    oggPage({ serial, sequence: 1, packets: [opusTags()] }),
    oggPage({ serial, sequence: 2, packets: [new Uint8Array(200)] }),
  );
  await assert.rejects(decodeAll(file), { code: 'invalid_file_format' });
});

test('a file that changes its rate again and again is refused', async () => {
  const at44k = fixture('speech-44k-stereo-cbr.mp3').subarray(4_000, 8_000);
  const at22k = fixture('speech-22k-vbr.mp3').subarray(2_000, 5_000);
  const file = join(
    fixture('speech-44k-stereo-cbr.mp3'),
    ...Array.from({ length: 300 }, () => [at22k, at44k]).flat(),
  );
  await assert.rejects(decodeAll(file), { code: 'invalid_file_format', message: /rate changes/ });
});

for (const [name, header] of Object.entries({
  'with 65,535 channels': wavHeader({ channels: 65_535 }),
  'at 1 Hz': wavHeader({ sampleRate: 1 }),
  'at 4 GHz': wavHeader({ sampleRate: 0xffff_ffff }),
  'whose format chunk claims four gigabytes': wavHeader({ formatBytes: 0xffff_fff0 }),
  'with chunks of no length and no end': join(
    wavHeader({}).subarray(0, 36),
    Buffer.from('junk\0\0\0\0'.repeat(200_000)),
  ),
})) {
  test(`a wav ${name} is refused`, async () => {
    await assert.rejects(decodeAll(join(header, new Uint8Array(100))), { code: 'invalid_file_format' });
  });
}
