import { ServiceError } from '../../errors/service-error.ts';
import { type AudioBlock, silence } from '../audio-block.ts';
import type { ByteReader } from '../byte-reader.ts';
import { createFlacDecoder } from '../codecs/flac-packets.ts';
import { type FlacFrameHeader, maxFlacHeaderBytes, parseFlacFrame, stepCrc16 } from './flac-frame.ts';
import { type FlacStreamInfo, parseStreamInfo } from './flac-stream-info.ts';

const lastBlockFlag = 0x80;
const searchBytes = 8_192;
/** So much searching for the ends of damaged frames, and the file is given up: it may be made of frame headers. */
const maxVainBytes = 256 << 20;
/** A longer jump of the frame numbers is a broken number, not lost audio. */
const maxGapSeconds = 600;

/** Native FLAC (RFC 9639). Frames carry no length: one ends where its checksum comes to zero and another begins. */
export async function* decodeFlac(reader: ByteReader, maxSeconds: number): AsyncGenerator<AudioBlock> {
  const header = await readMetadata(reader);
  const info = parseStreamInfo(header);
  const decoder = info && (await createFlacDecoder([header]));
  if (!info || !decoder) throw new ServiceError('invalid_file_format');
  try {
    if (info.totalSamples > maxSeconds * info.sampleRate) throw new ServiceError('file_too_long');
    let position: number | undefined;
    for await (const { bytes, firstSample, samples } of readFrames(reader, info)) {
      const gap = position === undefined ? 0 : firstSample - position;
      if (gap > 0 && gap <= maxGapSeconds * info.sampleRate) yield* silence(gap, info.sampleRate);
      position = firstSample + samples;
      const block = await decoder.decode(bytes).catch(() => undefined);
      if (block) yield block;
    }
  } finally {
    decoder.free();
  }
}

/** "fLaC" and the STREAMINFO block; pictures and comments are passed over. */
async function readMetadata(reader: ByteReader): Promise<Uint8Array> {
  const header = await reader.take(42);
  let last = (header[4] ?? lastBlockFlag) & lastBlockFlag;
  while (!last) {
    const block = await reader.take(4);
    if (block.length < 4) break;
    last = block[0]! & lastBlockFlag;
    await reader.skip((block[1]! << 16) | (block[2]! << 8) | block[3]!);
  }
  return header;
}

async function* readFrames(
  reader: ByteReader,
  info: FlacStreamInfo,
): AsyncGenerator<{ bytes: Uint8Array } & FlacFrameHeader> {
  let vainBytes = 0;
  while (vainBytes < maxVainBytes) {
    const head = await reader.peek(maxFlacHeaderBytes);
    if (head.length === 0) return;
    const frame = parseFlacFrame(head, 0, info);
    const length = frame && (await findFrameEnd(reader, frame, info));
    if (length) yield { bytes: await reader.take(length), ...frame };
    else {
      if (frame) vainBytes += maxFrameBytes(frame, info);
      await skipToFrame(reader, info);
    }
  }
}

/** The length of the frame at the reader's place, or nothing where it is damaged. */
async function findFrameEnd(
  reader: ByteReader,
  frame: FlacFrameHeader,
  info: FlacStreamInfo,
): Promise<number | undefined> {
  const maxBytes = maxFrameBytes(frame, info);
  let crc = 0;
  let at = 0;
  for (let wanted = searchBytes; at < maxBytes; wanted *= 2) {
    const window = await reader.peek(wanted + maxFlacHeaderBytes);
    const atEnd = window.length < wanted + maxFlacHeaderBytes;
    const until = Math.min(maxBytes, atEnd ? window.length : wanted);
    while (at < until) {
      crc = stepCrc16(crc, window[at]!);
      at++;
      if (crc !== 0 || at <= frame.headerBytes) continue;
      if (at === window.length || isTag(window, at) || parseFlacFrame(window, at, info)) return at;
    }
    if (atEnd) break;
  }
  return undefined;
}

/** No frame is longer than its samples stored plainly. */
function maxFrameBytes(frame: FlacFrameHeader, info: FlacStreamInfo): number {
  return frame.samples * info.channels * Math.ceil((info.bits + 1) / 8) + 1_024;
}

/** ID3v1, which some taggers put after the last frame. */
function isTag(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === 0x54 && bytes[at + 1] === 0x41 && bytes[at + 2] === 0x47;
}

async function skipToFrame(reader: ByteReader, info: FlacStreamInfo): Promise<void> {
  await reader.skip(1);
  for (;;) {
    const window = await reader.peek(searchBytes);
    const atEnd = window.length < searchBytes;
    const until = atEnd ? window.length : window.length - maxFlacHeaderBytes;
    let at = 0;
    while (at < until && !parseFlacFrame(window, at, info)) at++;
    await reader.skip(at);
    if (at < until || atEnd) return;
  }
}
