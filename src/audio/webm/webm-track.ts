import { createFlacDecoder } from '../codecs/flac-packets.ts';
import { createMp3PacketDecoder } from '../codecs/mp3-packets.ts';
import { createOpusDecoder } from '../codecs/opus-packets.ts';
import type { PacketDecoder } from '../codecs/packet-decoder.ts';
import { createPcmDecoder } from '../codecs/pcm-packets.ts';
import { createVorbisDecoder } from '../codecs/vorbis-packets.ts';
import type { SampleFormat } from '../samples/sample-format.ts';
import { childBodies, childElements, readFloat, readUint } from './ebml.ts';
import { trackIds as ids } from './matroska-ids.ts';
import { unlaceXiph } from './matroska-lacing.ts';

/** An audio track that can be decoded. */
export type WebmTrack = {
  number: number;
  /** Bytes that the muxer has removed from the start of every frame. */
  strippedHeader: Uint8Array;
  createDecoder(): Promise<PacketDecoder | undefined>;
};

const integerFormats: Record<number, SampleFormat> = { 8: 'u8', 16: 's16', 24: 's24', 32: 's32' };
const floatFormats: Record<number, SampleFormat> = { 32: 'f32', 64: 'f64' };
const audioType = 2;
const headerStripping = 3;
/** Muxers strip a few bytes. They are put back before every frame, and a block of 300 bytes may have 256 frames. */
const maxStrippedBytes = 64;

/** The track of a TrackEntry's body; undefined where it is not audio or its codec is not known here. */
export function parseTrackEntry(body: Uint8Array): WebmTrack | undefined {
  const fields = childBodies(body);
  const field = (id: number) => fields.get(id) ?? new Uint8Array(0);
  const strippedHeader = parseStrippedHeader(field(ids.contentEncodings));
  if (readUint(field(ids.trackType)) !== audioType || !strippedHeader) return undefined;
  const codecPrivate = field(ids.codecPrivate);
  const audio = childBodies(field(ids.audio));
  const sampleRate = readFloat(audio.get(ids.samplingFrequency) ?? new Uint8Array(0));
  const channels = readUint(audio.get(ids.channels) ?? Uint8Array.of(1));
  const bits = readUint(audio.get(ids.bitDepth) ?? new Uint8Array(0));
  const create = {
    A_OPUS: () => createOpusDecoder([codecPrivate]),
    A_VORBIS: () => createVorbisDecoder(unlaceXiph(codecPrivate) ?? []),
    A_FLAC: () => createFlacDecoder([codecPrivate]),
    'A_MPEG/L3': () => createMp3PacketDecoder(sampleRate),
    'A_PCM/INT/LIT': () => createPcmDecoder(integerFormats[bits], channels, sampleRate),
    'A_PCM/FLOAT/IEEE': () => createPcmDecoder(floatFormats[bits], channels, sampleRate),
  }[Buffer.from(field(ids.codecId)).toString('latin1').replace(/\0+$/, '')];
  return create && { number: readUint(field(ids.trackNumber)), strippedHeader, createDecoder: create };
}

function parseStrippedHeader(encodings: Uint8Array): Uint8Array | undefined {
  let stripped = new Uint8Array(0);
  for (const encoding of childElements(encodings)) {
    for (const part of childElements(encoding.body)) {
      if (part.id === ids.contentEncryption) return undefined;
      if (part.id !== ids.contentCompression) continue;
      const settings = childBodies(part.body);
      if (readUint(settings.get(ids.contentCompAlgo) ?? new Uint8Array(1)) !== headerStripping)
        return undefined;
      stripped = Uint8Array.from(
        settings.get(ids.contentCompSettings)?.subarray(0, maxStrippedBytes + 1) ?? [],
      );
      if (stripped.length > maxStrippedBytes) return undefined;
    }
  }
  return stripped;
}
