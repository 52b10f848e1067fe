import { FLACDecoder } from '@wasm-audio-decoders/flac';
import { crc16, parseFlacFrame } from '../flac/flac-frame.ts';
import { parseStreamInfo, streamInfoEnd } from '../flac/flac-stream-info.ts';
import type { PacketDecoder } from './packet-decoder.ts';

/** `header` is "fLaC" and the STREAMINFO block; each packet is one frame. */
export async function createFlacDecoder([header]: Uint8Array[]): Promise<PacketDecoder | undefined> {
  const info = header && parseStreamInfo(header);
  if (!info) return undefined;
  const decoder = new FLACDecoder();
  await decoder.ready;
  // Frames may leave their rate and depth to STREAMINFO, so the decoder gets it first, marked as the only block.
  const lead = header.slice(0, streamInfoEnd);
  lead[4] = 0x80;
  await decoder.decodeFrames([lead]);
  let nextSample: number | undefined;
  return {
    sampleRate: info.sampleRate,
    leadIn: 0,
    async decode(packet) {
      const frame = parseFlacFrame(packet, 0, info);
      // Only intact frames reach libFLAC, whose binding prints every complaint.
      if (!frame || crc16(packet) !== 0) return undefined;
      // libFLAC would also fill in what it thinks is missing, but only the container knows what is missing.
      if (nextSample !== undefined && nextSample !== frame.firstSample) {
        await decoder.reset();
        await decoder.decodeFrames([lead]);
      }
      nextSample = frame.firstSample + frame.samples;
      const { channelData, samplesDecoded } = await decoder.decodeFrames([packet]);
      return samplesDecoded > 0 ? { channels: channelData, sampleRate: info.sampleRate } : undefined;
    },
    free: () => decoder.free(),
  };
}
