import { createFlacDecoder } from '../codecs/flac-packets.ts';
import { createMp3PacketDecoder } from '../codecs/mp3-packets.ts';
import { createOpusDecoder } from '../codecs/opus-packets.ts';
import type { PacketDecoder } from '../codecs/packet-decoder.ts';
import { createPcmDecoder } from '../codecs/pcm-packets.ts';
import { createVorbisDecoder } from '../codecs/vorbis-packets.ts';
import type { SampleFormat } from '../samples/sample-format.ts';
import { childElements, readFloat, readUint } from './ebml.ts';
import { unlaceXiph } from './matroska-lacing.ts';

/** An audio track that can be decoded. */
export type WebmTrack = {
  number: number;
  /** Bytes that the muxer has taken off the front of every frame. */
  strippedHeader: Uint8Array;
  createDecoder(): Promise<PacketDecoder | undefined>;
};

const ids = {
  number: 0xd7,
  type: 0x83,
  codec: 0x86,
  codecPrivate: 0x63a2,
  contentEncodings: 0x6d80,
  contentEncoding: 0x6240,
  contentCompression: 0x5034,
  compressionAlgorithm: 0x4254,
  compressionSettings: 0x4255,
  encryption: 0x5035,
  audio: 0xe1,
  sampleRate: 0xb5,
  channels: 0x9f,
  bits: 0x6264,
};
const integerFormats: Record<number, SampleFormat> = { 8: 'u8', 16: 's16', 24: 's24', 32: 's32' };
const floatFormats: Record<number, SampleFormat> = { 32: 'f32', 64: 'f64' };
const audioType = 2;
const headerStripping = 3;

/** The body of a TrackEntry → the track, or nothing where it is not audio or not a codec known here. */
export function parseTrackEntry(body: Uint8Array): WebmTrack | undefined {
  const fields = new Map([...childElements(body)].map((child) => [child.id, child.body]));
  const field = (id: number) => fields.get(id) ?? new Uint8Array(0);
  const strippedHeader = parseStrippedHeader(field(ids.contentEncodings));
  if (readUint(field(ids.type)) !== audioType || !strippedHeader) return undefined;
  const codecPrivate = field(ids.codecPrivate);
  const audio = new Map([...childElements(field(ids.audio))].map((child) => [child.id, child.body]));
  const sampleRate = readFloat(audio.get(ids.sampleRate) ?? new Uint8Array(0));
  const channels = readUint(audio.get(ids.channels) ?? Uint8Array.of(1));
  const bits = readUint(audio.get(ids.bits) ?? new Uint8Array(0));
  const create = {
    A_OPUS: () => createOpusDecoder([codecPrivate]),
    A_VORBIS: () => createVorbisDecoder(unlaceXiph(codecPrivate) ?? []),
    A_FLAC: () => createFlacDecoder([codecPrivate]),
    'A_MPEG/L3': () => createMp3PacketDecoder(sampleRate),
    'A_PCM/INT/LIT': () => createPcmDecoder(integerFormats[bits], channels, sampleRate),
    'A_PCM/FLOAT/IEEE': () => createPcmDecoder(floatFormats[bits], channels, sampleRate),
  }[Buffer.from(field(ids.codec)).toString('latin1').replace(/\0+$/, '')];
  return create && { number: readUint(field(ids.number)), strippedHeader, createDecoder: create };
}

function parseStrippedHeader(encodings: Uint8Array): Uint8Array | undefined {
  let stripped = new Uint8Array(0);
  for (const encoding of childElements(encodings)) {
    for (const part of childElements(encoding.body)) {
      if (part.id === ids.encryption) return undefined;
      if (part.id !== ids.contentCompression) continue;
      const settings = new Map([...childElements(part.body)].map((child) => [child.id, child.body]));
      if (readUint(settings.get(ids.compressionAlgorithm) ?? new Uint8Array(1)) !== headerStripping)
        return undefined;
      stripped = Uint8Array.from(settings.get(ids.compressionSettings) ?? []);
    }
  }
  return stripped;
}
