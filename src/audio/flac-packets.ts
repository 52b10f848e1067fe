import { FLACDecoder } from '@wasm-audio-decoders/flac';
import { isPlausibleRate } from './audio-block.ts';
import type { PacketDecoder } from './packet-decoder.ts';

export type FlacStreamInfo = {
  sampleRate: number;
  channels: number;
  bits: number;
  totalSamples: number;
  /** Samples in each frame but the last; 0 where frames differ. */
  blockSamples: number;
};

const streamInfoBytes = 34;

/** `header` is "fLaC" and the STREAMINFO block; each packet is one frame. */
export async function createFlacDecoder([header]: Uint8Array[]): Promise<PacketDecoder | undefined> {
  const info = header && parseStreamInfo(header);
  if (!header || !info) return undefined;
  const decoder = new FLACDecoder();
  await decoder.ready;
  // Frames may leave their rate and depth to STREAMINFO, so the decoder gets it first, marked as the only block.
  const lead = header.slice(0, 8 + streamInfoBytes);
  lead[4] = 0x80;
  await decoder.decodeFrames([lead]);
  return {
    sampleRate: info.sampleRate,
    leadIn: 0,
    async decode(packet) {
      const { channelData, samplesDecoded } = await decoder.decodeFrames([packet]);
      return samplesDecoded > 0 ? { channels: channelData, sampleRate: info.sampleRate } : undefined;
    },
    free: () => decoder.free(),
  };
}

/** RFC 9639 §8.2. */
export function parseStreamInfo(header: Uint8Array): FlacStreamInfo | undefined {
  const marked = String.fromCharCode(...header.subarray(0, 4)) === 'fLaC' && (header[4]! & 0x7f) === 0;
  if (!marked || header.length < 8 + streamInfoBytes) return undefined;
  const view = new DataView(header.buffer, header.byteOffset + 8, streamInfoBytes);
  const packed = view.getUint32(10);
  const sampleRate = packed >>> 12;
  if (!isPlausibleRate(sampleRate)) return undefined;
  return {
    sampleRate,
    channels: ((packed >>> 9) & 7) + 1,
    bits: ((packed >>> 4) & 31) + 1,
    blockSamples: view.getUint16(0) === view.getUint16(2) ? view.getUint16(0) : 0,
    totalSamples: (packed & 15) * 2 ** 32 + view.getUint32(14),
  };
}
