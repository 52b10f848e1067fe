import { joinSamples } from '../audio-block.ts';
import { BadAudio } from '../bad-audio.ts';
import { joinBytes } from '../byte-reader.ts';
import { createFlacDecoder } from '../codecs/flac-packets.ts';
import type { PacketDecoder } from '../codecs/packet-decoder.ts';
import { maxFlacHeaderBytes, parseFlacFrame } from './flac-frame.ts';
import { type FlacScan, findFrame, scanFrame } from './flac-scan.ts';
import { type FlacStreamInfo, parseBlockHeader, parseStreamInfo, streamInfoEnd } from './flac-stream-info.ts';

/** Makes samples of a decoded frame. */
type Convert = (channels: Float32Array[], sampleRate: number) => Float32Array;

/** FLAC that comes in small pieces: a frame is decoded as soon as the header of the next one is there, not a block of bytes later. */
export type FlacFrames = {
  push(bytes: Uint8Array, convert: Convert): Promise<Float32Array>;
  end(convert: Convert): Promise<Float32Array>;
  free(): void;
};

type Opened = { info: FlacStreamInfo; decoder: PacketDecoder };

/** Metadata longer than this is a picture that nobody needs to stream, or mischief. */
const maxMetadataBytes = 1 << 20;
/** A stream with so many bytes without a frame is not FLAC. */
const maxVainBytes = 64 * 1024;

export function createFlacFrames(): FlacFrames {
  let pending: Uint8Array = new Uint8Array(0);
  let opened: Opened | undefined;
  let freed = false;
  let vainBytes = 0;
  /** Of the frame at the start of `pending`. */
  let scan: FlacScan = { at: 0, crc: 0 };

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
    const header = pending.slice(0, streamInfoEnd);
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
        const end = header ? scanFrame(scan, pending, header, stream.info, atEnd) : 'damaged';
        if (end === 'more') break;
        if (end === 'damaged') {
          skipToFrame(stream.info, atEnd);
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

  const skipToFrame = (info: FlacStreamInfo, atEnd: boolean) => {
    const at = findFrame(pending, 1, info, atEnd);
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

/** Where the frames begin, once all metadata is there. */
function metadataEnd(bytes: Uint8Array): number | undefined {
  for (let at = 4; ; ) {
    const block = parseBlockHeader(bytes, at);
    if (!block) return undefined;
    at += 4 + block.length;
    if (block.isLast) return at <= bytes.length ? at : undefined;
  }
}

function noHeader(): BadAudio {
  return new BadAudio(
    'The audio does not begin with a FLAC header. Send the stream from its start, "fLaC" first.',
  );
}
