import { setImmediate as nextTurn } from 'node:timers/promises';
import type { StreamOptions } from '../../wire/option-types.ts';
import { clipSamples, joinSamples } from '../audio/audio-block.ts';
import { joinBytes } from '../audio/byte-reader.ts';
import { createFlacPcm, type FlacPcm } from '../audio/flac/flac-pcm.ts';
import type { Pcm } from '../audio/pcm.ts';
import { createResamplerInTurns } from '../audio/resample/resampler.ts';
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

/** Plain samples are converted on the thread that serves everybody, in slices of a few milliseconds. */
const sliceBytes = 32 * 1024;

export function createFrameDecoder(
  encoding: StreamOptions['encoding'],
  sampleRate: number,
  openFlac: () => FlacPcm = createFlacPcm,
): FrameDecoder {
  switch (encoding) {
    case 'LINEAR16':
      return createPlainDecoder('s16', sampleRate);
    case 'MULAW':
      return createPlainDecoder('mulaw', sampleRate);
    case 'FLAC':
      // The rate is that of the FLAC header, whatever the parameters say.
      return { ...openFlac(), secondsOf: (byteLength) => byteLength / flacBytesPerSecond };
  }
}

function createPlainDecoder(format: SampleFormat, sampleRate: number): FrameDecoder {
  const created = createResamplerInTurns(sampleRate);
  const width = bytesPerSample(format);
  let rest: Uint8Array = new Uint8Array(0);
  return {
    async push(bytes) {
      const resampler = await created;
      const joined = joinBytes([rest, bytes]);
      const whole = joined.length - (joined.length % width);
      rest = joined.slice(whole);
      const parts: Pcm[] = [];
      for (let at = 0; at < whole; at += sliceBytes) {
        if (at > 0) await nextTurn();
        const samples = readSamples(joined.subarray(at, Math.min(whole, at + sliceBytes)), format, 1)[0]!;
        parts.push(clipSamples(resampler.push(samples)));
      }
      return joinSamples(parts);
    },
    end: async () => clipSamples((await created).flush()),
    secondsOf: (byteLength) => byteLength / width / sampleRate,
    free: () => {},
  };
}
