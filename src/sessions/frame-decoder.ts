import type { StreamOptions } from '../../wire/option-types.ts';
import { clipSamples, joinSamples } from '../audio/audio-block.ts';
import { joinBytes } from '../audio/byte-reader.ts';
import { createFlacFrames } from '../audio/flac/flac-frames.ts';
import type { Pcm } from '../audio/pcm.ts';
import { downmix } from '../audio/resample/downmix.ts';
import { createResampler } from '../audio/resample/resampler.ts';
import { bytesPerSample, readSamples, type SampleFormat } from '../audio/samples/sample-format.ts';

/** Decodes the bytes of a client, which may be split anywhere. */
export interface FrameDecoder {
  /** Rejects with `BadAudio` when the bytes are not audio. */
  push(bytes: Uint8Array): Promise<Pcm>;
  /** The samples that are left after the last bytes. */
  end(): Promise<Pcm>;
  /** About how long so many bytes last. */
  secondsOf(byteLength: number): number;
  free(): void;
}

/** Speech at 16 kHz takes about this much as FLAC; known exactly once it is decoded. */
const flacBytesPerSecond = 16_000;

export function createFrameDecoder(encoding: StreamOptions['encoding'], sampleRate: number): FrameDecoder {
  switch (encoding) {
    case 'LINEAR16':
      return createPlainDecoder('s16', sampleRate);
    case 'MULAW':
      return createPlainDecoder('mulaw', sampleRate);
    case 'FLAC':
      return createFlacDecoder();
  }
}

function createPlainDecoder(format: SampleFormat, sampleRate: number): FrameDecoder {
  const resampler = createResampler(sampleRate);
  const width = bytesPerSample(format);
  let rest: Uint8Array = new Uint8Array(0);
  return {
    async push(bytes) {
      const joined = joinBytes([rest, bytes]);
      const whole = joined.length - (joined.length % width);
      rest = joined.slice(whole);
      return clipSamples(resampler.push(readSamples(joined.subarray(0, whole), format, 1)[0]!));
    },
    end: async () => clipSamples(resampler.flush()),
    secondsOf: (byteLength) => byteLength / width / sampleRate,
    free: () => {},
  };
}

/** The rate is that of the FLAC header, whatever the parameters say. */
function createFlacDecoder(): FrameDecoder {
  const frames = createFlacFrames();
  let resampler: ReturnType<typeof createResampler> | undefined;
  const resample = (channels: Float32Array[], sampleRate: number) => {
    resampler ??= createResampler(sampleRate);
    return clipSamples(resampler.push(downmix(channels)));
  };
  return {
    push: (bytes) => frames.push(bytes, resample),
    async end() {
      const last = await frames.end(resample);
      return joinSamples([last, clipSamples(resampler?.flush() ?? new Float32Array(0))]);
    },
    secondsOf: (byteLength) => byteLength / flacBytesPerSecond,
    free: () => frames.free(),
  };
}
