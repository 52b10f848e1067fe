import { isPlausibleRate } from '../audio-block.ts';
import { readSamples, type SampleFormat } from '../samples/sample-format.ts';
import type { PacketDecoder } from './packet-decoder.ts';

const maxChannels = 64;

/** Samples as they are, which Chrome's MediaRecorder writes when asked for `codecs=pcm`. */
export async function createPcmDecoder(
  format: SampleFormat | undefined,
  channelCount: number,
  sampleRate: number,
): Promise<PacketDecoder | undefined> {
  if (!format || channelCount < 1 || channelCount > maxChannels || !isPlausibleRate(sampleRate))
    return undefined;
  return {
    sampleRate,
    leadIn: 0,
    async decode(packet) {
      const channels = readSamples(packet, format, channelCount);
      return channels[0]!.length > 0 ? { channels, sampleRate } : undefined;
    },
    free() {},
  };
}
