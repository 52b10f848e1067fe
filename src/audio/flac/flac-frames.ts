import { joinSamples } from '../audio-block.ts';
import { BadAudio } from '../bad-audio.ts';
import { joinBytes } from '../byte-reader.ts';
import { createFlacDecoder } from '../codecs/flac-packets.ts';
import type { PacketDecoder } from '../codecs/packet-decoder.ts';
import { type FlacFrameHeader, maxFlacHeaderBytes, parseFlacFrame, stepCrc16 } from './flac-frame.ts';
import { type FlacStreamInfo, parseStreamInfo, streamInfoBytes } from './flac-stream-info.ts';

/** What becomes of a decoded frame. */
type Convert = (channels: Float32Array[], sampleRate: number) => Float32Array;

/** FLAC that comes bit by bit: a frame is given out as soon as the head of the next is there, not a block of bytes later. */
export type FlacFrames = {
  push(bytes: Uint8Array, convert: Convert): Promise<Float32Array>;
  end(convert: Convert): Promise<Float32Array>;
  free(): void;
};

type Opened = { info: FlacStreamInfo; decoder: PacketDecoder };

const headerBytes = 8 + streamInfoBytes;
const lastBlockFlag = 0x80;
/** Metadata longer than this is a picture that nobody needs to stream, or mischief. */
const maxMetadataBytes = 1 << 20;
/** So many bytes without a frame are no FLAC. */
const maxVainBytes = 64 * 1024;

export function createFlacFrames(): FlacFrames {
  let pending: Uint8Array = new Uint8Array(0);
  let opened: Opened | undefined;
  let freed = false;
  let vainBytes = 0;
  /** Of the frame at the start of `pending`: how far it was looked at, and the checksum up to there. */
  let scan = { at: 0, crc: 0 };

  const drop = (length: number) => {
    pending = pending.subarray(length);
    scan = { at: 0, crc: 0 };
  };

  const open = async (): Promise<boolean> => {
    const start = pending.subarray(0, 4);
    if (!'fLaC'.startsWith(String.fromCharCode(...start))) throw noHeader();
    const end = metadataEnd(pending);
    if (end === undefined) {
      if (pending.length > maxMetadataBytes) throw noHeader();
      return false;
    }
    const header = pending.slice(0, headerBytes);
    const info = parseStreamInfo(header);
    const decoder = info && (await createFlacDecoder([header]));
    if (!info || !decoder) throw noHeader();
    if (freed) decoder.free();
    opened = { info, decoder };
    drop(end);
    return true;
  };

  const decode = async (frame: Uint8Array, { decoder }: Opened, convert: Convert, parts: Float32Array[]) => {
    const block = freed ? undefined : await decoder.decode(frame).catch(() => undefined);
    if (block) parts.push(convert(block.channels, block.sampleRate));
  };

  const takeFrames = async (convert: Convert, atEnd: boolean): Promise<Float32Array> => {
    const parts: Float32Array[] = [];
    if (pending.length > 0 && (opened || (await open()))) {
      const stream = opened!;
      while (pending.length > 0 && (atEnd || pending.length >= maxFlacHeaderBytes)) {
        const header = parseFlacFrame(pending, 0, stream.info);
        if (!header) {
          skipToFrame(stream.info);
          continue;
        }
        const end = frameEnd(header, stream.info, atEnd);
        if (end === 'later') break;
        if (end === 'never') {
          skipToFrame(stream.info);
          continue;
        }
        vainBytes = 0;
        const frame = pending.slice(0, end);
        drop(end);
        await decode(frame, stream, convert, parts);
      }
    }
    return joinSamples(parts);
  };

  /** Where the frame ends: its checksum comes to zero and another begins. */
  const frameEnd = (header: FlacFrameHeader, info: FlacStreamInfo, atEnd: boolean) => {
    const maxBytes = header.samples * info.channels * Math.ceil((info.bits + 1) / 8) + 1_024;
    while (scan.at < pending.length) {
      const next = scan.at + 1;
      const crc = stepCrc16(scan.crc, pending[scan.at]!);
      if (crc === 0 && next > header.headerBytes) {
        if (!atEnd && pending.length < next + maxFlacHeaderBytes) return 'later';
        if (next === pending.length || parseFlacFrame(pending, next, info)) return next;
      }
      scan = { at: next, crc };
      if (next > maxBytes) return 'never';
    }
    return atEnd ? 'never' : 'later';
  };

  const skipToFrame = (info: FlacStreamInfo) => {
    let at = 1;
    while (at < pending.length && !(pending[at] === 0xff && mayBegin(pending, at, info))) at++;
    vainBytes += at;
    drop(at);
    if (vainBytes > maxVainBytes)
      throw new BadAudio('The audio holds no FLAC frames. Send a FLAC stream without gaps.');
  };

  return {
    push(bytes, convert) {
      pending = joinBytes([pending, bytes]);
      return takeFrames(convert, false);
    },
    async end(convert) {
      const rest = await takeFrames(convert, true);
      if (!opened && pending.length > 0) throw noHeader();
      return rest;
    },
    free() {
      freed = true;
      opened?.decoder.free();
    },
  };
}

/** A frame stands here, or might once the rest of its header has come. */
function mayBegin(bytes: Uint8Array, at: number, info: FlacStreamInfo): boolean {
  return bytes.length - at < maxFlacHeaderBytes || parseFlacFrame(bytes, at, info) !== undefined;
}

/** Where the frames begin, once all metadata is there. */
function metadataEnd(bytes: Uint8Array): number | undefined {
  let at = 4;
  for (;;) {
    if (at + 4 > bytes.length) return undefined;
    const last = bytes[at]! & lastBlockFlag;
    at += 4 + ((bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!);
    if (last) return at <= bytes.length ? at : undefined;
  }
}

function noHeader(): BadAudio {
  return new BadAudio(
    'The audio does not begin with a FLAC header. Send the stream from its start, "fLaC" first.',
  );
}
