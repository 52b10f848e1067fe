import { ServiceError } from '../../errors/service-error.ts';
import { type AudioBlock, silence, trimBlock } from '../audio-block.ts';
import type { ByteReader } from '../byte-reader.ts';
import { createFlacDecoder } from '../codecs/flac-packets.ts';
import { createOpusDecoder } from '../codecs/opus-packets.ts';
import type { CreatePacketDecoder, PacketDecoder } from '../codecs/packet-decoder.ts';
import { createVorbisDecoder, isVorbisHeader } from '../codecs/vorbis-packets.ts';
import { type OggPage, PacketAssembler, readOggPages } from './ogg-pages.ts';

type OggCodec = {
  headerCount: number;
  /** The rate of the granule clock; undefined where it is the decoder's rate. */
  clock?: number;
  create: CreatePacketDecoder;
};

const opusClock = 48_000;
/** FLAC may announce 65,535 headers; no decoder needs more than Vorbis does. */
const keptHeaders = 3;
/** A longer jump of the clock is a broken clock, not lost audio. */
const maxGapSeconds = 600;
const gapToleranceSeconds = 0.02;
/** A decoder takes milliseconds to create. A radio programme of four hours has a hundred links, a link for each piece. */
const maxDecoders = 500;
const tooManyLinks =
  'The file is made of too many pieces that follow one another. Convert it to mp3 or wav, and send it again.';

/** Opus (RFC 7845), Vorbis and FLAC in Ogg; the first audio stream, and the ones chained after it. */
export async function* decodeOgg(reader: ByteReader): AsyncGenerator<AudioBlock> {
  let stream: OggStream | undefined;
  let decoders = 0;
  const countDecoder = () => {
    if (++decoders > maxDecoders) throw new ServiceError('invalid_file_format', { message: tooManyLinks });
  };
  try {
    for await (const page of readOggPages(reader)) {
      if (page.first && (!stream || stream.started)) {
        const codec = identify(page.segments[0] ?? new Uint8Array(0));
        if (codec) {
          stream?.free();
          stream = new OggStream(page.serial, codec, countDecoder);
        }
      }
      if (stream?.serial === page.serial) yield* stream.read(page);
      // All streams of a link announce themselves first. If none of them is audio, the file has no audio.
      else if (!stream && !page.first) throw new ServiceError('invalid_file_format');
    }
  } finally {
    stream?.free();
  }
}

class OggStream {
  readonly serial: number;
  readonly #codec: OggCodec;
  readonly #onDecoder: () => void;
  readonly #assembler = new PacketAssembler();
  #headers: Uint8Array[] = [];
  #headersRead = 0;
  #decoder: PacketDecoder | undefined;
  #leadIn = 0;
  /** The end of the decoded audio, in samples of the decoder; once `#anchored`, it counts from the start of the stream's clock. */
  #position = 0;
  #anchored = false;

  /** `onDecoder` is called before a decoder is created, and may throw. */
  constructor(serial: number, codec: OggCodec, onDecoder: () => void) {
    this.serial = serial;
    this.#codec = codec;
    this.#onDecoder = onDecoder;
  }

  /** Whether all its headers are there. */
  get started(): boolean {
    return this.#headersRead >= this.#codec.headerCount;
  }

  async *read(page: OggPage): AsyncGenerator<AudioBlock> {
    const blocks: AudioBlock[] = [];
    for (const packet of this.#assembler.packets(page)) {
      if (!this.started) this.#readHeader(packet);
      else {
        this.#decoder ??= await this.#createDecoder();
        const block = await this.#decode(this.#decoder, packet);
        if (block) blocks.push(block);
      }
    }
    if (blocks.length > 0) yield* this.#align(blocks, page);
  }

  free(): void {
    this.#decoder?.free();
    this.#decoder = undefined;
  }

  #readHeader(packet: Uint8Array): void {
    if (this.#headers.length < keptHeaders) this.#headers.push(packet);
    this.#headersRead += 1;
  }

  /** Called for the first packet of audio: a link that has none costs nothing. */
  async #createDecoder(): Promise<PacketDecoder> {
    this.#onDecoder();
    const decoder = await this.#codec.create(this.#headers);
    if (!decoder) throw new ServiceError('invalid_file_format');
    this.#headers = [];
    this.#leadIn = decoder.leadIn;
    return decoder;
  }

  /** A damaged packet is skipped; the clock of the next page shows how long it was. */
  async #decode(decoder: PacketDecoder, packet: Uint8Array): Promise<AudioBlock | undefined> {
    try {
      return await decoder.decode(packet);
    } catch {
      return undefined;
    }
  }

  /** Aligns a page's blocks with the clock: silence for what was lost before them, and the padding cut at the end. */
  async *#align(blocks: AudioBlock[], page: OggPage): AsyncGenerator<AudioBlock> {
    const rate = this.#decoder!.sampleRate;
    const decoded = blocks.reduce((sum, block) => sum + block.channels[0]!.length, 0);
    const clockRatio = rate / (this.#codec.clock ?? rate);
    const end = page.granule === undefined ? undefined : Math.round(page.granule * clockRatio);
    // A recording may begin in the middle of a stream. The first intact page says where, unless it is also the last.
    if (end !== undefined && page.intact && !this.#anchored && !page.last) this.#position = end - decoded;
    const gap = end === undefined ? 0 : end - this.#position - decoded;
    if (page.intact) {
      if (gap > gapToleranceSeconds * rate && gap <= maxGapSeconds * rate) yield* silence(gap, rate);
      this.#anchored ||= end !== undefined;
    }
    // A damaged page may decode to too many samples, or have a wrong time. Its time is believed only if it lies within the page.
    const excess = (page.last || !page.intact) && gap < 0 && gap >= -decoded ? -gap : 0;
    this.#position = page.intact && end !== undefined ? end : this.#position + decoded - excess;
    let left = decoded;
    for (const block of blocks) {
      const length = block.channels[0]!.length;
      left -= length;
      const kept = trimBlock(block, this.#leadIn, Math.min(length, excess - left));
      this.#leadIn = Math.max(0, this.#leadIn - length);
      if (kept.channels[0]!.length > 0) yield kept;
    }
  }
}

function identify(packet: Uint8Array): OggCodec | undefined {
  const name = String.fromCharCode(...packet.subarray(0, 8));
  if (name === 'OpusHead') return { headerCount: 2, clock: opusClock, create: createOpusDecoder };
  if (isVorbisHeader(packet, 1)) return { headerCount: 3, create: createVorbisDecoder };
  // The mapping's own header, then as many metadata packets as it says (xiph.org/flac/ogg_mapping.html).
  if (name.startsWith('\x7fFLAC') && packet.length >= 51) {
    const headerCount = 1 + ((packet[7]! << 8) | packet[8]!);
    return { headerCount, create: ([first]) => createFlacDecoder([first!.subarray(9)]) };
  }
  return undefined;
}
