import { aLawSamples, muLawSamples } from './companding.ts';

export type SampleFormat = 'u8' | 's16' | 's24' | 's32' | 'f32' | 'f64' | 'mulaw' | 'alaw';

type ReadSample = (view: DataView, offset: number) => number;

const readers: Record<SampleFormat, { bytes: number; read: ReadSample }> = {
  u8: { bytes: 1, read: (view, at) => (view.getUint8(at) - 128) / 128 },
  s16: { bytes: 2, read: (view, at) => view.getInt16(at, true) / 32_768 },
  s24: {
    bytes: 3,
    read: (view, at) => (view.getUint16(at, true) + view.getInt8(at + 2) * 65_536) / 8_388_608,
  },
  s32: { bytes: 4, read: (view, at) => view.getInt32(at, true) / 2_147_483_648 },
  f32: { bytes: 4, read: (view, at) => finite(view.getFloat32(at, true)) },
  f64: { bytes: 8, read: (view, at) => finite(view.getFloat64(at, true)) },
  mulaw: { bytes: 1, read: (view, at) => muLawSamples[view.getUint8(at)]! },
  alaw: { bytes: 1, read: (view, at) => aLawSamples[view.getUint8(at)]! },
};

export function bytesPerSample(format: SampleFormat): number {
  return readers[format].bytes;
}

/** Interleaved little-endian samples → one array a channel; bytes after the last whole frame are left out. */
export function readSamples(bytes: Uint8Array, format: SampleFormat, channelCount: number): Float32Array[] {
  const { bytes: width, read } = readers[format];
  const frames = Math.floor(bytes.length / (width * channelCount));
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: channelCount }, (_, channel) => {
    const samples = new Float32Array(frames);
    let offset = channel * width;
    for (let i = 0; i < frames; i++, offset += width * channelCount) samples[i] = read(view, offset);
    return samples;
  });
}

/** A NaN or an infinity would spread through every filter after it. */
function finite(sample: number): number {
  return sample >= -4 && sample <= 4 ? sample : 0;
}
