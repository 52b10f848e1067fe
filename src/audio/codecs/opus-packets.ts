import { OpusDecoder } from 'opus-decoder';
import { pcmSampleRate } from '../pcm.ts';
import type { PacketDecoder } from './packet-decoder.ts';

type OpusHead = {
  channels: number;
  preSkip: number;
  streamCount: number;
  coupledStreamCount: number;
  channelMappingTable: number[];
};

const opusClock = 48_000;
const maxChannels = 8;

/** libopus decodes straight to 16 kHz: a third of the work, and nothing to resample. */
export async function createOpusDecoder([header]: Uint8Array[]): Promise<PacketDecoder | undefined> {
  const head = header && parseOpusHead(header);
  if (!head) return undefined;
  const { preSkip, ...layout } = head;
  const decoder = new OpusDecoder({ ...layout, sampleRate: pcmSampleRate });
  await decoder.ready;
  return {
    sampleRate: pcmSampleRate,
    leadIn: Math.round((preSkip * pcmSampleRate) / opusClock),
    async decode(packet) {
      // libopus refuses packets that do not parse, and its binding prints every refusal, so they are checked first.
      const samples = opusPacketSamples(packet, head.streamCount);
      if (samples === undefined) return undefined;
      const { channelData, samplesDecoded } = decoder.decodeFrame(packet);
      return samplesDecoded > 0 ? { channels: channelData, sampleRate: pcmSampleRate } : undefined;
    },
    free: () => decoder.free(),
  };
}

/** RFC 7845 §5.1. */
function parseOpusHead(bytes: Uint8Array): OpusHead | undefined {
  if (bytes.length < 19 || String.fromCharCode(...bytes.subarray(0, 8)) !== 'OpusHead') return undefined;
  const channels = bytes[9]!;
  const preSkip = bytes[10]! | (bytes[11]! << 8);
  if (bytes[18] === 0) {
    if (channels !== 1 && channels !== 2) return undefined;
    const mapping = channels === 2 ? [0, 1] : [0];
    return {
      channels,
      preSkip,
      streamCount: 1,
      coupledStreamCount: channels - 1,
      channelMappingTable: mapping,
    };
  }
  const [streamCount, coupledStreamCount] = [bytes[19]!, bytes[20]!];
  const channelMappingTable = [...bytes.subarray(21, 21 + channels)];
  const decoded = streamCount + coupledStreamCount;
  const sound = channels >= 1 && channels <= maxChannels && channelMappingTable.length === channels;
  // Every stream is decoded, also one that no channel plays.
  if (!sound || streamCount < 1 || coupledStreamCount > streamCount || decoded > maxChannels)
    return undefined;
  if (!channelMappingTable.every((index) => index < decoded || index === 255)) return undefined;
  return { channels, preSkip, streamCount, coupledStreamCount, channelMappingTable };
}

/** The packet's length in samples at 48 kHz (RFC 6716 §3); undefined where it breaks the rules of the format. */
function opusPacketSamples(packet: Uint8Array, streamCount = 1): number | undefined {
  const [toc, second] = packet;
  if (toc === undefined) return undefined;
  const config = toc >> 3;
  const frameSamples =
    config < 12
      ? [480, 960, 1920, 2880][config & 3]!
      : config < 16
        ? [480, 960][config & 1]!
        : [120, 240, 480, 960][config & 3]!;
  const code = toc & 3;
  const frames = code === 0 ? 1 : code < 3 ? 2 : (second ?? 0) & 0x3f;
  const samples = frames * frameSamples;
  if (frames === 0 || samples > 5_760) return undefined;
  // Packets of several streams hold lengths for all but the last; libopus checks those itself.
  if (streamCount === 1 && !framesFit(packet, code)) return undefined;
  return samples;
}

function framesFit(packet: Uint8Array, code: number): boolean {
  const maxFrameBytes = 1_275;
  if (code === 0) return packet.length - 1 <= maxFrameBytes;
  if (code === 1) return packet.length % 2 === 1 && (packet.length - 1) / 2 <= maxFrameBytes;
  if (code === 2) {
    const size = frameLength(packet, 1);
    return (
      size !== undefined &&
      size.next + size.length <= packet.length &&
      packet.length - size.next - size.length <= maxFrameBytes
    );
  }
  const flags = packet[1]!;
  const frames = flags & 0x3f;
  let at = 2;
  let padding = 0;
  if (flags & 0x40) {
    for (let byte = 255; byte === 255; at++) {
      if (packet[at] === undefined) return false;
      byte = packet[at]!;
      padding += byte === 255 ? 254 : byte;
    }
  }
  let left = packet.length - at - padding;
  if (!(flags & 0x80)) return left >= 0 && left % frames === 0 && left / frames <= maxFrameBytes;
  for (let i = 0; i < frames - 1; i++) {
    const size = frameLength(packet, at);
    if (!size) return false;
    left -= size.next - at + size.length;
    at = size.next;
  }
  return left >= 0 && left <= maxFrameBytes;
}

/** RFC 6716 §3.2.1: one byte, or two from 252 on. */
function frameLength(packet: Uint8Array, at: number): { length: number; next: number } | undefined {
  const first = packet[at];
  if (first === undefined) return undefined;
  if (first < 252) return { length: first, next: at + 1 };
  const second = packet[at + 1];
  return second === undefined ? undefined : { length: second * 4 + first, next: at + 2 };
}
