import { joinSamples } from '../audio-block.ts';
import { BadAudio } from '../bad-audio.ts';
import { createFlacDecoder } from '../codecs/flac-packets.ts';
import type { PacketDecoder } from '../codecs/packet-decoder.ts';
import { GatheredBytes } from '../gathered-bytes.ts';
import { type FlacFrameHeader, maxFlacHeaderBytes, parseFlacFrame } from './flac-frame.ts';
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
/** Each byte is scanned about once. Headers of frames that never end would have the same bytes scanned again and again. */
const maxScansOfByte = 8;
const freeScanBytes = 16 << 20;

/** Digital silence takes a few bytes a second, and hours of it would come out at once. */
const maxSecondsAtOnce = 60;

export function createFlacFrames(): FlacFrames {
  const pending = new GatheredBytes();
  const metadata: MetadataScan = { at: 4, ended: false };
  let opened: Opened | undefined;
  let freed = false;
  let vainBytes = 0;
  let receivedBytes = 0;
  let scannedBytes = 0;
  /** Of the frame at the start of `pending`. */
  let scan: FlacScan = { at: 0, crc: 0 };

  const drop = (length: number) => {
    pending.drop(length);
    scan = { at: 0, crc: 0 };
  };

  const open = async (): Promise<boolean> => {
    const { bytes } = pending;
    if (!'fLaC'.startsWith(String.fromCharCode(...bytes.subarray(0, 4)))) throw noHeader();
    if (!scanMetadata(metadata, bytes)) {
      if (Math.max(metadata.at, bytes.length) > maxMetadataBytes) throw noHeader();
      return false;
    }
    const header = bytes.slice(0, streamInfoEnd);
    const info = parseStreamInfo(header);
    const decoder = info && (await createFlacDecoder([header]));
    if (!info || !decoder) throw noHeader();
    if (freed) decoder.free();
    opened = { info, decoder };
    drop(metadata.at);
    return true;
  };

  const decode = async (frame: Uint8Array, { decoder }: Opened, convert: Convert, parts: Float32Array[]) => {
    const block = freed ? undefined : await decoder.decode(frame).catch(() => undefined);
    if (block) parts.push(convert(block.channels, block.sampleRate));
  };

  const takeFrames = async (convert: Convert, atEnd: boolean): Promise<Float32Array> => {
    const parts: Float32Array[] = [];
    let seconds = 0;
    if (pending.length > 0 && (opened || (await open()))) {
      const stream = opened!;
      while (pending.length > 0 && (atEnd || pending.length >= maxFlacHeaderBytes)) {
        const { bytes } = pending;
        const header = parseFlacFrame(bytes, 0, stream.info);
        const end = header ? scanOn(bytes, header, stream.info, atEnd) : 'damaged';
        if (end === 'more') break;
        if (end === 'damaged') {
          skipToFrame(stream.info, atEnd);
          continue;
        }
        vainBytes = 0;
        seconds += header!.samples / stream.info.sampleRate;
        if (seconds > maxSecondsAtOnce) throw tooMuchAtOnce();
        const frame = bytes.slice(0, end);
        drop(end);
        await decode(frame, stream, convert, parts);
      }
    }
    return joinSamples(parts);
  };

  const scanOn = (bytes: Uint8Array, header: FlacFrameHeader, info: FlacStreamInfo, atEnd: boolean) => {
    const from = scan.at;
    const end = scanFrame(scan, bytes, header, info, atEnd);
    scannedBytes += (typeof end === 'number' ? end : scan.at) - from;
    if (scannedBytes > freeScanBytes + maxScansOfByte * receivedBytes) throw noFrames();
    return end;
  };

  const skipToFrame = (info: FlacStreamInfo, atEnd: boolean) => {
    const at = findFrame(pending.bytes, 1, info, atEnd);
    vainBytes += at;
    drop(at);
    if (vainBytes > maxVainBytes) throw noFrames();
  };

  return {
    push(bytes, convert) {
      receivedBytes += bytes.length;
      pending.append(bytes);
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

/** How far the metadata has been read, and whether its last block has begun: then it ends at `at`. */
type MetadataScan = { at: number; ended: boolean };

/** Whether all metadata is there. Goes on where it stopped: there may be very many blocks, and they may come byte by byte. */
function scanMetadata(scan: MetadataScan, bytes: Uint8Array): boolean {
  while (!scan.ended) {
    const block = parseBlockHeader(bytes, scan.at);
    if (!block) return false;
    scan.at += 4 + block.length;
    scan.ended = block.isLast;
  }
  return scan.at <= bytes.length;
}

function tooMuchAtOnce(): BadAudio {
  return new BadAudio(
    'A frame holds more than a minute of audio. Send it at the pace of speech, or as a file.',
  );
}

function noFrames(): BadAudio {
  return new BadAudio('The audio holds no FLAC frames. Send a FLAC stream without gaps.');
}

function noHeader(): BadAudio {
  return new BadAudio(
    'The audio does not begin with a FLAC header. Send the stream from its start, "fLaC" first.',
  );
}
