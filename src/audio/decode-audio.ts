import { ServiceError } from '../errors/service-error.ts';
import { type AudioBlock, clipSamples, joinSamples } from './audio-block.ts';
import { ByteReader } from './byte-reader.ts';
import { skipId3v2 } from './id3.ts';
import { type Pcm, pcmSampleRate } from './pcm.ts';
import { downmix } from './resample/downmix.ts';
import { createResampler, type Resampler } from './resample/resampler.ts';
import { type AudioContainer, sniffContainer, sniffedBytes } from './sniff-container.ts';

export type { AudioContainer } from './sniff-container.ts';

export type DecodeOptions = { signal?: AbortSignal; maxSeconds?: number };

/** Decodes from the reader's position on; `maxSeconds` is for containers whose headers declare a length. */
type Decoder = (reader: ByteReader, maxSeconds: number) => AsyncGenerator<AudioBlock>;

/** Loaded when the first file of the kind comes: all of them together would add 0.15 s to every start. */
const decoders: Record<AudioContainer, () => Promise<Decoder>> = {
  mp3: async () => (await import('./mp3/mp3.ts')).decodeMp3,
  wav: async () => (await import('./wav/wav.ts')).decodeWav,
  webm: async () => (await import('./webm/webm.ts')).decodeWebm,
  flac: async () => (await import('./flac/flac.ts')).decodeFlac,
  ogg: async () => (await import('./ogg/ogg.ts')).decodeOgg,
};

/** Loads all of them, so that the first file of a kind does not wait. */
export async function loadDecoders(): Promise<void> {
  await Promise.all(Object.values(decoders).map((load) => load()));
}

const defaultMaxSeconds = 4 * 3600;
const minChunkSamples = pcmSampleRate / 10;
const maxChunkSamples = pcmSampleRate;
/** A filter takes milliseconds to make, and joined files are few. */
const maxFilters = 250;
const tooManyRates =
  'The sample rate changes too often. Convert the file to mp3 or wav with one rate, and send it again.';

/** Bytes in, mono 16 kHz chunks of at most a second out. Pulling is the back-pressure; `break` stops the source. */
export async function* decodeAudio(
  bytes: AsyncIterable<Uint8Array>,
  { signal, maxSeconds = defaultMaxSeconds }: DecodeOptions = {},
): AsyncGenerator<Pcm> {
  const reader = new ByteReader(bytes, signal);
  let samples = 0;
  try {
    for await (const chunk of chunked(resampled(decodeBlocks(reader, maxSeconds)))) {
      signal?.throwIfAborted();
      samples += chunk.length;
      if (samples > maxSeconds * pcmSampleRate) throw new ServiceError('file_too_long');
      yield chunk;
    }
    if (samples === 0) throw new ServiceError('invalid_file_format');
  } catch (error) {
    if (error instanceof ServiceError || error === reader.sourceError || signal?.aborted || samples > 0)
      throw error;
    throw new ServiceError('invalid_file_format', { cause: error });
  } finally {
    await reader.close();
  }
}

async function* decodeBlocks(reader: ByteReader, maxSeconds: number): AsyncGenerator<AudioBlock> {
  await skipId3v2(reader);
  const container = sniffContainer(await reader.peek(sniffedBytes));
  if (!container) throw new ServiceError('invalid_file_format');
  const decode = await decoders[container]();
  yield* decode(reader, maxSeconds);
}

/** A stream may change its rate on the way (joined files): each stretch gets a filter of its own. */
async function* resampled(blocks: AsyncIterable<AudioBlock>): AsyncGenerator<Float32Array> {
  let rate = 0;
  let filters = 0;
  let resampler: Resampler | undefined;
  for await (const { channels, sampleRate } of blocks) {
    if (sampleRate !== rate) {
      if (resampler) yield resampler.flush();
      if (++filters > maxFilters) throw new ServiceError('invalid_file_format', { message: tooManyRates });
      resampler = createResampler(sampleRate);
      rate = sampleRate;
    }
    // A block may last a quarter of an hour at a low rate, and is not converted at once.
    const samples = downmix(channels);
    for (let at = 0; at < samples.length; at += rate) yield resampler!.push(samples.subarray(at, at + rate));
  }
  if (resampler) yield resampler.flush();
}

/** Chunks of 0.1 to 1 s: smaller ones would cost every later stage a call, larger ones latency. */
async function* chunked(pieces: AsyncIterable<Float32Array>): AsyncGenerator<Pcm> {
  let waiting: Float32Array[] = [];
  let length = 0;
  for await (const piece of pieces) {
    if (piece.length === 0) continue;
    waiting.push(piece);
    length += piece.length;
    if (length < minChunkSamples) continue;
    yield* split(joinSamples(waiting));
    waiting = [];
    length = 0;
  }
  if (length > 0) yield* split(joinSamples(waiting));
}

function* split(samples: Float32Array): Generator<Pcm> {
  for (let at = 0; at < samples.length; at += maxChunkSamples) {
    yield clipSamples(samples.subarray(at, at + maxChunkSamples));
  }
}
