import { MPEGDecoder } from 'mpg123-decoder';
import { isPlausibleRate } from '../audio-block.ts';
import { parseMpegFrame, typicalDelay } from '../mp3/mpeg-frame.ts';
import type { PacketDecoder } from './packet-decoder.ts';

/** MPEG audio frames as Matroska carries them, one in a packet. */
export async function createMp3PacketDecoder(sampleRate: number): Promise<PacketDecoder | undefined> {
  if (!isPlausibleRate(sampleRate)) return undefined;
  const decoder = new MPEGDecoder({ enableGapless: false });
  await decoder.ready;
  return {
    sampleRate,
    leadIn: typicalDelay(3),
    async decode(packet) {
      const frame = parseMpegFrame(packet);
      if (frame?.sampleRate !== sampleRate || packet.length < frame.bytes) return undefined;
      const { channelData, samplesDecoded } = decoder.decode(packet.subarray(0, frame.bytes));
      return samplesDecoded > 0 ? { channels: channelData, sampleRate } : undefined;
    },
    free: () => decoder.free(),
  };
}
