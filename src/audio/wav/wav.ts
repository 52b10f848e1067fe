import { ServiceError } from '../../errors/service-error.ts';
import { type AudioBlock, isPlausibleRate } from '../audio-block.ts';
import type { ByteReader } from '../byte-reader.ts';
import { decodeMp3 } from '../mp3/mp3.ts';
import { bytesPerSample, readSamples, type SampleFormat } from '../samples/sample-format.ts';

type WavFormat = { format: SampleFormat | 'mpeg'; channelCount: number; sampleRate: number };

const maxFormatBytes = 4_096;
const maxBlockBytes = 65_536;
const unknownLength = 0xffff_ffff;
/** Before the data. Real files have under twenty. */
const maxChunks = 1_000;

/** RIFF/WAVE, RF64 and BW64 (EBU Tech 3306). The data length is a hint: writers to a pipe cannot know it. */
export async function* decodeWav(reader: ByteReader): AsyncGenerator<AudioBlock> {
  await reader.skip(12);
  let format: WavFormat | undefined;
  let longLength = 0;
  for (let chunks = 0; ; chunks++) {
    const chunk = readChunkHeader(await reader.take(8));
    if (!chunk || chunks > maxChunks) throw new ServiceError('invalid_file_format');
    if (chunk.id === 'data') {
      if (!format) throw new ServiceError('invalid_file_format');
      const declared = chunk.length === unknownLength ? longLength : chunk.length;
      yield* format.format === 'mpeg' ? decodeMp3(reader) : readData(reader, declared, format, format.format);
      return;
    }
    if (chunk.id === 'fmt ') format = parseFormat(await reader.peek(Math.min(chunk.length, maxFormatBytes)));
    if (chunk.id === 'ds64') longLength = readLongLength(await reader.peek(16));
    await reader.skip(chunk.length);
    // An odd chunk is followed by a zero, which some writers forget; no chunk's name begins with one.
    if (chunk.length % 2 === 1 && (await reader.peek(1))[0] === 0) await reader.skip(1);
  }
}

async function* readData(
  reader: ByteReader,
  declared: number,
  { channelCount, sampleRate }: WavFormat,
  format: SampleFormat,
): AsyncGenerator<AudioBlock> {
  const frameBytes = bytesPerSample(format) * channelCount;
  const blockFrames = Math.ceil(Math.min(sampleRate / 10, maxBlockBytes / frameBytes));
  const blockBytes = blockFrames * frameBytes;
  let left = declared === 0 ? Number.POSITIVE_INFINITY : declared;
  for (;;) {
    // The declared length may be wrong: then what follows is not a chunk but more samples.
    if (left < frameBytes) {
      const after = await reader.peek(left + (left % 2) + 8);
      if (after.length <= left + 1 || readChunkHeader(after.subarray(left + (left % 2)))) return;
      left = Number.POSITIVE_INFINITY;
    }
    const length = Math.min(blockBytes, Math.floor(left / frameBytes) * frameBytes);
    const bytes = await reader.take(length);
    left -= bytes.length;
    if (bytes.length >= frameBytes) yield { channels: readSamples(bytes, format, channelCount), sampleRate };
    if (bytes.length < length) return;
  }
}

function readChunkHeader(bytes: Uint8Array): { id: string; length: number } | undefined {
  if (bytes.length < 8 || !bytes.subarray(0, 4).every((byte) => byte >= 0x20 && byte < 0x7f))
    return undefined;
  return { id: String.fromCharCode(...bytes.subarray(0, 4)), length: viewOf(bytes).getUint32(4, true) };
}

function readLongLength(bytes: Uint8Array): number {
  return bytes.length < 16 ? 0 : Number(viewOf(bytes).getBigUint64(8, true));
}

function parseFormat(bytes: Uint8Array): WavFormat {
  if (bytes.length < 14) throw new ServiceError('invalid_file_format');
  const view = viewOf(bytes);
  let tag = view.getUint16(0, true);
  const channelCount = view.getUint16(2, true);
  const sampleRate = view.getUint32(4, true);
  const frameBytes = view.getUint16(12, true);
  const bits = bytes.length >= 16 ? view.getUint16(14, true) : 8;
  // WAVE_FORMAT_EXTENSIBLE: the true tag is at the start of the sub-format's GUID.
  if (tag === 0xfffe && bytes.length >= 26) tag = view.getUint16(24, true);
  const whole = frameBytes % channelCount === 0 && frameBytes > 0;
  const format = sampleFormat(tag, whole ? (frameBytes / channelCount) * 8 : Math.ceil(bits / 8) * 8);
  if (!format || channelCount < 1 || channelCount > 64 || !isPlausibleRate(sampleRate)) {
    throw new ServiceError('invalid_file_format');
  }
  return { format, channelCount, sampleRate };
}

function sampleFormat(tag: number, bits: number): SampleFormat | 'mpeg' | undefined {
  const name = `${tag}/${bits}`;
  if (tag === 0x50 || tag === 0x55) return 'mpeg';
  if (tag === 6) return 'alaw';
  if (tag === 7) return 'mulaw';
  return (
    { '1/8': 'u8', '1/16': 's16', '1/24': 's24', '1/32': 's32', '3/32': 'f32', '3/64': 'f64' } as const
  )[name];
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
