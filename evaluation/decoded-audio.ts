import { spawn } from 'node:child_process';
import { buffer } from 'node:stream/consumers';

export const sampleRate = 16_000;

/** Decodes a file with ffmpeg, for peers that are handed samples, and for building recordings. */
export async function decodeAudio(file: string): Promise<Float32Array> {
  const input = ['-nostdin', '-v', 'error', '-i', file];
  const output = ['-f', 'f32le', '-ac', '1', '-ar', String(sampleRate), '-'];
  const child = spawn('ffmpeg', [...input, ...output], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const [bytes, code] = await Promise.all([buffer(child.stdout), exit]);
  if (code !== 0) throw new Error(`ffmpeg could not decode ${file}`);
  return new Float32Array(new Uint8Array(bytes).buffer);
}
