import { ServiceError } from '../../errors/service-error.ts';
import { type AudioBlock, silence } from '../audio-block.ts';
import type { ByteReader } from '../byte-reader.ts';
import { createFlacDecoder } from '../codecs/flac-packets.ts';
import { type FlacFrameHeader, maxFlacHeaderBytes, parseFlacFrame } from './flac-frame.ts';
import { type FlacScan, findFrame, maxFrameBytes, scanFrame } from './flac-scan.ts';
import { type FlacStreamInfo, parseBlockHeader, parseStreamInfo, streamInfoEnd } from './flac-stream-info.ts';

const searchBytes = 8_192;
/** After so many bytes of damaged frames the file is given up: it may consist of frame headers. */
const maxVainBytes = 256 << 20;
/** Before the frames. Real files have under twenty. */
const maxMetadataBlocks = 10_000;
/** A longer jump of the frame numbers is a broken number, not lost audio. */
const maxGapSeconds = 600;

/** Native FLAC (RFC 9639). */
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

/** "fLaC" and the STREAMINFO block; pictures and comments are skipped. */
async function readMetadata(reader: ByteReader): Promise<Uint8Array> {
  const header = await reader.take(streamInfoEnd);
  let block = parseBlockHeader(header, 4);
  for (let blocks = 0; block && !block.isLast; blocks++) {
    if (blocks > maxMetadataBlocks) throw new ServiceError('invalid_file_format');
    block = parseBlockHeader(await reader.take(4), 0);
    if (block) await reader.skip(block.length);
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

/** The length of the frame at the reader's position, or undefined where it is damaged. */
async function findFrameEnd(
  reader: ByteReader,
  frame: FlacFrameHeader,
  info: FlacStreamInfo,
): Promise<number | undefined> {
  const scan: FlacScan = { at: 0, crc: 0 };
  for (let wanted = searchBytes; ; wanted *= 2) {
    const bytes = await reader.peek(wanted);
    const end = scanFrame(scan, bytes, frame, info, bytes.length < wanted);
    if (end !== 'more') return end === 'damaged' ? undefined : end;
  }
}

async function skipToFrame(reader: ByteReader, info: FlacStreamInfo): Promise<void> {
  await reader.skip(1);
  for (;;) {
    const bytes = await reader.peek(searchBytes);
    const atEnd = bytes.length < searchBytes;
    const at = findFrame(bytes, 0, info, atEnd);
    await reader.skip(at);
    if (at === 0 || atEnd) return;
  }
}
