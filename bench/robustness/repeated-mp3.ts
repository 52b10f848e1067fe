import { spawn } from 'node:child_process';
import { buffer } from 'node:stream/consumers';
import { sampleRate } from '../../evaluation/decoded-audio.ts';

const chunkBytes = 65_536;
const bytesPerSecond = 6_000;
/** A constant rate, frames that do not lean on earlier ones, and no header that names a length: it can be repeated. */
const repeatable = [
  '-b:a',
  `${(8 * bytesPerSecond) / 1000}k`,
  '-reservoir',
  '0',
  '-write_xing',
  '0',
  '-id3v2_version',
  '0',
];

export async function encodeMp3(samples: Float32Array): Promise<Uint8Array> {
  const input = ['-v', 'error', '-f', 'f32le', '-ac', '1', '-ar', String(sampleRate), '-i', '-'];
  const output = ['-c:a', 'libmp3lame', ...repeatable, '-f', 'mp3', '-'];
  const child = spawn('ffmpeg', [...input, ...output], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exit = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  child.stdin.end(Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength));
  const [bytes, code] = await Promise.all([buffer(child.stdout), exit]);
  if (code !== 0) throw new Error('ffmpeg could not encode mp3');
  return bytes;
}

/** The bytes again and again for a little less than `seconds`: an encoder adds a few frames of its own. */
export async function* repeatMp3(bytes: Uint8Array, seconds: number): AsyncGenerator<Uint8Array> {
  for (let left = Math.floor((seconds - 1) * bytesPerSecond); left > 0; left -= bytes.length) {
    const length = Math.min(bytes.length, left);
    for (let at = 0; at < length; at += chunkBytes)
      yield bytes.subarray(at, Math.min(at + chunkBytes, length));
  }
}
