/** Decoded samples as a codec gives them: one array a channel, all of one length, at the file's own rate. */
export type AudioBlock = { channels: Float32Array[]; sampleRate: number };

/** Rates outside this are damage or mischief: nothing records speech below 1 kHz or above 768 kHz. */
export function isPlausibleRate(sampleRate: number): boolean {
  return Number.isInteger(sampleRate) && sampleRate >= 1_000 && sampleRate <= 768_000;
}

/** Silence in pieces of at most a second, so that a long gap costs no memory. */
export function* silence(samples: number, sampleRate: number): Generator<AudioBlock> {
  for (let left = samples; left > 0; left -= sampleRate) {
    yield { channels: [new Float32Array(Math.min(left, sampleRate))], sampleRate };
  }
}

/** Drops samples from both ends of a block. */
export function trimBlock(block: AudioBlock, fromStart: number, fromEnd: number): AudioBlock {
  if (fromStart <= 0 && fromEnd <= 0) return block;
  const length = block.channels[0]?.length ?? 0;
  const end = Math.max(0, length - Math.max(0, fromEnd));
  const channels = block.channels.map((channel) => channel.subarray(Math.min(fromStart, end), end));
  return { channels, sampleRate: block.sampleRate };
}

export function joinSamples(parts: Float32Array[]): Float32Array {
  if (parts.length === 1) return parts[0]!;
  const joined = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}

/** Lossy codecs and filters overshoot full scale a little. Changes the samples themselves. */
export function clipSamples(samples: Float32Array): Float32Array {
  for (let i = 0; i < samples.length; i++) {
    if (samples[i]! > 1) samples[i] = 1;
    else if (samples[i]! < -1) samples[i] = -1;
  }
  return samples;
}
