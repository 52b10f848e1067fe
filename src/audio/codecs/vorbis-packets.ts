import { type OggVorbisDecodedAudio, OggVorbisDecoder } from '@wasm-audio-decoders/ogg-vorbis';
import { isPlausibleRate } from '../audio-block.ts';
import type { PacketDecoder } from './packet-decoder.ts';

/** The size of the decoder's input buffer; no real packet is longer. */
const maxPacketBytes = 128 * 1024;
const maxChannels = 8;

/** The three headers: identification, comment, setup (Vorbis I specification §4.2). */
export async function createVorbisDecoder(headers: Uint8Array[]): Promise<PacketDecoder | undefined> {
  const [identification, , setup] = headers;
  if (!identification || !setup || !isVorbisHeader(identification, 1) || !isVorbisHeader(setup, 5))
    return undefined;
  const view = new DataView(identification.buffer, identification.byteOffset, identification.byteLength);
  const channels = view.getUint8(11);
  const sampleRate = view.getUint32(12, true);
  if (channels < 1 || channels > maxChannels || !isPlausibleRate(sampleRate)) return undefined;

  const decoder = new OggVorbisDecoder();
  await decoder.ready;
  // The decoder takes pages in the form in which its parser makes them. A single packet is a page with one frame.
  const decodePacket = (page: object) =>
    decoder.decodeOggPages([page] as unknown as Parameters<typeof decoder.decodeOggPages>[0]);
  await decodePacket({ data: identification, codecFrames: [] });
  return {
    sampleRate,
    leadIn: 0,
    async decode(packet) {
      // Audio packets have an even first byte; others are headers that a joined stream repeats.
      if (packet.length === 0 || packet.length > maxPacketBytes || packet[0]! & 1) return undefined;
      const frame = { data: packet, header: { vorbisSetup: setup } };
      const decoded: OggVorbisDecodedAudio = await decodePacket({ data: packet, codecFrames: [frame] });
      return decoded.samplesDecoded > 0 ? { channels: decoded.channelData, sampleRate } : undefined;
    },
    free: () => decoder.free(),
  };
}

export function isVorbisHeader(packet: Uint8Array, type: 1 | 3 | 5): boolean {
  const shortest = type === 1 ? 30 : 7;
  return (
    packet.length >= shortest &&
    packet[0] === type &&
    String.fromCharCode(...packet.subarray(1, 7)) === 'vorbis'
  );
}
