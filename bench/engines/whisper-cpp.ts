import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { decodeAudio } from '../../evaluation/decoded-audio.ts';
import { writeWave } from '../../evaluation/wave-file.ts';
import type { Engine, EngineOptions, StageTimes } from './engine.ts';

const greedy = ['--beam-size', '1', '--best-of', '1', '--no-fallback'];

/**
 * whisper.cpp's command line, named by `WHISPER_CPP`, with the weights in `WHISPER_CPP_MODEL`. A beam of one is its
 * greedy search, and without fallback a window is never decoded again at a higher temperature.
 */
export async function createWhisperCppEngine(
  { threads }: EngineOptions,
  { WHISPER_CPP: program, WHISPER_CPP_MODEL: model }: NodeJS.ProcessEnv,
): Promise<Engine> {
  if (!program || !model)
    throw new Error('whisper.cpp needs WHISPER_CPP (whisper-cli) and WHISPER_CPP_MODEL');
  const folder = await mkdtemp(join(tmpdir(), 'siann-bench-'));
  const stop = new AbortController();
  let files = 0;

  return {
    name: 'whisper.cpp',
    async transcribe(file, { language } = {}) {
      const spoken = language?.slice(0, 2) ?? 'auto';
      const settings = ['--threads', String(threads), '--language', spoken, ...greedy];
      const wave = await toWave(file);
      const { output, log } = await run(program, ['--model', model, ...settings, wave], stop.signal);
      if (wave !== file) await rm(wave);
      return { text: parseText(output), ...parseTimings(log) };
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await rm(folder, { recursive: true, force: true });
    },
  };

  async function toWave(file: string): Promise<string> {
    if (file.endsWith('.wav')) return file;
    files += 1;
    const wave = join(folder, `${files}.wav`);
    await writeWave(wave, await decodeAudio(file));
    return wave;
  }
}

async function run(
  program: string,
  args: string[],
  signal: AbortSignal,
): Promise<{ output: string; log: string }> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], signal });
  const exit = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const [code, output, log] = await Promise.all([exit, readText(child.stdout), readText(child.stderr)]);
  if (code !== 0) throw new Error(`whisper.cpp ended with ${code}: ${log.slice(-500)}`);
  return { output, log };
}

/** Lines such as `[00:00:00.000 --> 00:00:02.940]   The dose …`. */
export function parseText(output: string): string {
  const lines = output.split('\n').map((line) => line.replace(/^\[[\d:.]+ --> [\d:.]+\]\s*/, '').trim());
  return lines.filter((line) => line !== '').join(' ');
}

/** Loading the weights is left out of the seconds: a library does it once. */
export function parseTimings(log: string): { seconds: number; stages: StageTimes } {
  const encode = timing(log, 'encode');
  const decode = timing(log, 'decode');
  return {
    seconds: timing(log, 'total').seconds - timing(log, 'load').seconds,
    stages: {
      encoderSeconds: encode.seconds,
      encodedSeconds: encode.runs * 30,
      decoderSeconds: decode.seconds,
      decoderTokens: decode.runs,
    },
  };
}

function timing(log: string, stage: string): { seconds: number; runs: number } {
  const [, milliseconds, runs] =
    log.match(new RegExp(`${stage} time = +([\\d.]+) ms(?: / +(\\d+) runs)?`)) ?? [];
  if (milliseconds === undefined) throw new Error(`whisper.cpp printed no ${stage} time`);
  return { seconds: Number(milliseconds) / 1000, runs: Number(runs ?? 1) };
}
