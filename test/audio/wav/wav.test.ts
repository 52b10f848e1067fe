import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixture } from '../../../evaluation/spoken-files.ts';
import { decodeAll, join } from '../fixtures.ts';

const rate = 16_000;
const signal = Float32Array.from({ length: rate }, (_, i) => 0.5 * Math.sin((2 * Math.PI * 440 * i) / rate));

type Format = {
  tag: number;
  bits: number;
  tolerance: number;
  write(view: DataView, at: number, sample: number): void;
};

const formats: Record<string, Format> = {
  '8-bit': {
    tag: 1,
    bits: 8,
    tolerance: 1 / 128,
    write: (v, at, x) => v.setUint8(at, Math.round(x * 127) + 128),
  },
  '16-bit': {
    tag: 1,
    bits: 16,
    tolerance: 1e-4,
    write: (v, at, x) => v.setInt16(at, Math.round(x * 32_767), true),
  },
  '24-bit': {
    tag: 1,
    bits: 24,
    tolerance: 1e-6,
    write(view, at, sample) {
      const value = Math.round(sample * 8_388_607);
      view.setUint16(at, value & 0xffff, true);
      view.setInt8(at + 2, value >> 16);
    },
  },
  '32-bit': {
    tag: 1,
    bits: 32,
    tolerance: 1e-6,
    write: (v, at, x) => v.setInt32(at, Math.round(x * 2 ** 31), true),
  },
  'float 32': { tag: 3, bits: 32, tolerance: 1e-7, write: (v, at, x) => v.setFloat32(at, x, true) },
  'float 64': { tag: 3, bits: 64, tolerance: 1e-7, write: (v, at, x) => v.setFloat64(at, x, true) },
};

for (const [name, format] of Object.entries(formats)) {
  for (const channels of [1, 2, 6]) {
    for (const extensible of [false, true]) {
      test(`${name}, ${channels} channels${extensible ? ', extensible' : ''}: samples are exact`, async () => {
        const data = samplesAs(format, channels);
        const file = join(riff(), formatChunk(format, channels, extensible), chunk('data', data));
        assertSameSignal(await decodeAll(file), format.tolerance);
      });
    }
  }
}

const data = samplesAs(formats['16-bit']!, 1);
const head = join(riff(), formatChunk(formats['16-bit']!, 1, false));

for (const [reason, length] of Object.entries({
  'is zero': 0,
  'is all ones': 0xffff_ffff,
  'is longer than the file': data.length + 1_000_000,
  'would be more than four hours': 0x7fff_f000,
  'is shorter than the data': 1_000,
  'is odd and shorter than the data': 1_001,
})) {
  test(`a data length that ${reason} does not matter`, async () => {
    assertSameSignal(await decodeAll(join(head, chunk('data', data, length))), 1e-4);
  });
}

test('chunks after the data are not played', async () => {
  const file = join(head, chunk('data', data), chunk('LIST', new Uint8Array(5_000).fill(0x55)));
  assertSameSignal(await decodeAll(file), 1e-4);
});

test('chunks before the data are passed over, padded or not', async () => {
  const odd = new Uint8Array(33).fill(0x41);
  assertSameSignal(await decodeAll(join(head, chunk('LIST', join(odd, [0]), 33), chunk('data', data))), 1e-4);
  assertSameSignal(await decodeAll(join(head, chunk('LIST', odd), chunk('data', data))), 1e-4);
});

test('RF64 takes the length from its ds64 chunk', async () => {
  const sizes = new Uint8Array(28);
  new DataView(sizes.buffer).setBigUint64(8, BigInt(data.length), true);
  const format = formatChunk(formats['16-bit']!, 1, false);
  const tail = chunk('LIST', new Uint8Array(5_000).fill(0x55));
  const file = join(riff('RF64'), chunk('ds64', sizes), format, chunk('data', data, 0xffff_ffff), tail);
  assertSameSignal(await decodeAll(file), 1e-4);
});

test('a file cut in mid-sample gives what was there', async () => {
  const samples = await decodeAll(join(head, chunk('data', data)).subarray(0, head.length + 8 + 1_001));
  assert.equal(samples.length, 500);
});

test('NaN and infinite samples are silence', async () => {
  const bad = new Uint8Array(Float32Array.of(Number.NaN, Number.POSITIVE_INFINITY, 0.25, -0.25).buffer);
  const file = join(riff(), formatChunk(formats['float 32']!, 1, false), chunk('data', bad));
  assert.deepEqual([...(await decodeAll(file))], [0, 0, 0.25, -0.25]);
});

test('mp3 inside a wav is decoded', async () => {
  const mp3 = fixture('speech-22k-vbr.mp3');
  const format = formatChunk({ tag: 0x55, bits: 0, tolerance: 0, write() {} }, 1, false);
  assert.deepEqual(await decodeAll(join(riff(), format, chunk('data', mp3))), await decodeAll(mp3));
});

test('µ-law and A-law agree with the tables of G.711', async () => {
  const codes = [0x00, 0x0f, 0x7f, 0x80, 0xaa, 0xff];
  const play = async (tag: number) => {
    const format = formatChunk({ tag, bits: 8, tolerance: 0, write() {} }, 1, false);
    return [...(await decodeAll(join(riff(), format, chunk('data', codes))))].map(
      (sample) => sample * 32_768,
    );
  };
  assert.deepEqual(await play(7), [-32_124, -16_764, 0, 32_124, 5_372, 0]);
  assert.deepEqual(await play(6), [-5_504, -6_784, -848, 5_504, 32_256, 848]);
});

function assertSameSignal(samples: Float32Array, tolerance: number): void {
  assert.equal(samples.length, signal.length);
  for (let i = 0; i < signal.length; i++) {
    assert.ok(Math.abs(samples[i]! - signal[i]!) <= tolerance, `sample ${i}: ${samples[i]} for ${signal[i]}`);
  }
}

function samplesAs(format: Format, channels: number): Uint8Array {
  const width = format.bits / 8;
  const bytes = new Uint8Array(signal.length * channels * width);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < signal.length * channels; i++) {
    format.write(view, i * width, signal[Math.floor(i / channels)]!);
  }
  return bytes;
}

function riff(name = 'RIFF'): Uint8Array {
  return join(Buffer.from(name), [0xff, 0xff, 0xff, 0xff], Buffer.from('WAVE'));
}

function formatChunk({ tag, bits }: Format, channels: number, extensible: boolean): Uint8Array {
  const body = new Uint8Array(extensible ? 40 : 16);
  const view = new DataView(body.buffer);
  view.setUint16(0, extensible ? 0xfffe : tag, true);
  view.setUint16(2, channels, true);
  view.setUint32(4, rate, true);
  view.setUint32(8, (rate * channels * bits) / 8, true);
  view.setUint16(12, (channels * bits) / 8, true);
  view.setUint16(14, bits, true);
  if (extensible) {
    view.setUint16(16, 22, true);
    view.setUint16(18, bits, true);
    view.setUint16(24, tag, true);
  }
  return chunk('fmt ', body);
}

function chunk(id: string, body: ArrayLike<number>, length = body.length): Uint8Array {
  return join(
    Buffer.from(id),
    [length & 255, (length >> 8) & 255, (length >> 16) & 255, length >>> 24],
    body,
  );
}
