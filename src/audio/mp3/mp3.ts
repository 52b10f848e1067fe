import { MPEGDecoder } from 'mpg123-decoder';
import { ServiceError } from '../../errors/service-error.ts';
import { type AudioBlock, silence, trimBlock } from '../audio-block.ts';
import { type ByteReader, joinBytes } from '../byte-reader.ts';
import { skipId3v2 } from '../id3.ts';
import {
  countFrames,
  decoderDelay,
  type MpegFrame,
  maxMpegFrameBytes,
  parseMpegFrame,
  typicalDelay,
} from './mpeg-frame.ts';
import { parseXingHeader, type XingHeader } from './xing-header.ts';

/** This many frames in a row are taken for an mp3 stream; by chance they occur once in 2^50 bytes. */
const framesToBelieve = 4;
const maxLeadingBytes = 1 << 20;
const searchWindowBytes = (framesToBelieve + 1) * maxMpegFrameBytes;
const batchFrames = 8;
const maxGapSeconds = 600;

/**
 * Frames are found here and only whole ones reach mpg123: its binding retries errors without end when it has to
 * look for frames itself, and prints each of them.
 */
export async function* decodeMp3(
  reader: ByteReader,
  maxSeconds = Number.POSITIVE_INFINITY,
): AsyncGenerator<AudioBlock> {
  const first = await findFrame(reader, maxLeadingBytes);
  if (!first) throw new ServiceError('invalid_file_format');
  const xing = parseXingHeader(first.frame, await reader.peek(first.frame.bytes));
  if (((xing?.frames ?? 0) * first.frame.samples) / first.frame.sampleRate > maxSeconds) {
    throw new ServiceError('file_too_long');
  }
  if (xing) await reader.skip(first.frame.bytes);
  yield* trimEncoderPadding(decodeFrames(reader, first.frame), first.frame, xing);
}

async function* decodeFrames(reader: ByteReader, firstFrame: MpegFrame): AsyncGenerator<AudioBlock> {
  const decoder = new MPEGDecoder({ enableGapless: false });
  await decoder.ready;
  try {
    let stream = firstFrame;
    let seenBytes = 0;
    let seenFrames = 0;
    let owed = 0;
    for (;;) {
      const frames = await takeFrames(reader, stream);
      if (frames.length > 0) {
        owed += frames.length * stream.samples;
        seenBytes += frames.reduce((sum, frame) => sum + frame.length, 0);
        seenFrames += frames.length;
        const block = decodeBatch(decoder, frames, stream.sampleRate);
        if (block) {
          owed -= block.channels[0]!.length;
          yield block;
        }
        // mpg123 may hold one frame back. If more is missing, it has dropped frames, and silence must take their time.
        if (owed > stream.samples) {
          yield* silence(owed - stream.samples, stream.sampleRate);
          owed = stream.samples;
        }
        continue;
      }
      const found = await findNextFrame(reader);
      if (!found) return;
      const gapFrames = seenFrames > 0 ? Math.round((found.skipped * seenFrames) / seenBytes) : 0;
      const gapSeconds = (gapFrames * stream.samples) / stream.sampleRate;
      if (gapSeconds <= maxGapSeconds) yield* silence(gapFrames * stream.samples, stream.sampleRate);
      if (found.frame.stream !== stream.stream) {
        [stream, seenBytes, seenFrames, owed] = [found.frame, 0, 0, 0];
      }
    }
  } finally {
    decoder.free();
  }
}

/** Whole frames of one stream at the reader's position; none where something else is found there. */
async function takeFrames(reader: ByteReader, stream: MpegFrame): Promise<Uint8Array[]> {
  const frames: Uint8Array[] = [];
  while (frames.length < batchFrames) {
    const frame = parseMpegFrame(await reader.peek(4));
    if (frame?.stream !== stream.stream) break;
    const bytes = await reader.take(frame.bytes);
    if (bytes.length < frame.bytes) break;
    frames.push(bytes);
  }
  return frames;
}

function decodeBatch(decoder: MPEGDecoder, frames: Uint8Array[], sampleRate: number): AudioBlock | undefined {
  try {
    const { channelData, samplesDecoded } = decoder.decode(joinBytes(frames));
    return samplesDecoded > 0 ? { channels: channelData, sampleRate } : undefined;
  } catch {
    return undefined;
  }
}

/** Where files were joined, there are tags between the frames; anything else there is damage. */
async function findNextFrame(reader: ByteReader): Promise<{ frame: MpegFrame; skipped: number } | undefined> {
  if (String.fromCharCode(...(await reader.peek(3))) === 'TAG') await reader.skip(128);
  await skipId3v2(reader);
  return findFrame(reader, Number.POSITIVE_INFINITY);
}

async function findFrame(
  reader: ByteReader,
  maxBytes: number,
): Promise<{ frame: MpegFrame; skipped: number } | undefined> {
  for (let skipped = 0; skipped <= maxBytes; ) {
    const window = await reader.peek(searchWindowBytes);
    const atEnd = window.length < searchWindowBytes;
    const last = atEnd ? window.length - 4 : maxMpegFrameBytes;
    for (let at = 0; at < last; at++) {
      if (window[at] !== 0xff) continue;
      const frame = parseMpegFrame(window, at);
      if (!frame || countFrames(window, at, framesToBelieve) < (atEnd ? 2 : framesToBelieve)) continue;
      await reader.skip(at);
      return { frame, skipped: skipped + at };
    }
    if (atEnd) return undefined;
    skipped += await reader.skip(last);
  }
  return undefined;
}

/** Encoders put silence before the first sample and after the last; both are cut, so that times are exact. */
async function* trimEncoderPadding(
  blocks: AsyncIterable<AudioBlock>,
  frame: MpegFrame,
  xing: XingHeader | undefined,
): AsyncGenerator<AudioBlock> {
  const delay = decoderDelay(frame.layer);
  const start = xing?.delay === undefined ? typicalDelay(frame.layer) : xing.delay + delay;
  const fileEnd =
    xing?.delay !== undefined && xing.frames ? xing.frames * frame.samples : Number.POSITIVE_INFINITY;
  const end = Math.min(fileEnd, fileEnd - (xing?.padding ?? 0) + delay);
  let position = 0;
  for await (const block of blocks) {
    const from = position;
    position += block.channels[0]!.length;
    // A joined file goes on behind the declared end of the first.
    const cutEnd = position <= fileEnd ? position - Math.max(end, from) : 0;
    const kept = trimBlock(block, start - from, cutEnd);
    if (kept.channels[0]!.length > 0) yield kept;
  }
}
