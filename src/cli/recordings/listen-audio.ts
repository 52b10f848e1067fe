import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeAudio } from '../../audio/decode-audio.ts';
import { pcmSampleRate } from '../../audio/pcm.ts';
import { toLinear16 } from '../../audio/samples/linear16.ts';
import { sniffContainer } from '../../audio/sniff-container.ts';

const frameBytes = (pcmSampleRate / 10) * 2;
const bytesPerSecond = pcmSampleRate * 2;

/** A file's audio as LINEAR16 at 16 kHz, whatever its format is. */
export async function fileAudio(file: string): Promise<AsyncIterable<Uint8Array>> {
  if ((await stat(file)).isDirectory()) throw new Error('this is a folder. Name one audio file.');
  return decoded(createReadStream(file));
}

/** The audio of standard input. It is decoded if it begins like a known format; otherwise it is LINEAR16 at 16 kHz already. */
export async function* pipedAudio(input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = input[Symbol.asyncIterator]();
  const first = await source.next();
  if (first.done) return;
  const whole = rejoined(first.value, source);
  const container = sniffContainer(first.value);
  // `mp3` only means that no other format fits, which is also true of LINEAR16.
  if (container === undefined || container === 'mp3') yield* whole;
  else yield* decoded(whole);
}

async function* decoded(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const pcm of decodeAudio(bytes)) yield toLinear16(pcm);
}

async function* rejoined(first: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  for (;;) {
    const next = await rest.next();
    if (next.done) return;
    yield next.value;
  }
}

/** Small frames, each no earlier than a microphone would give it. */
export async function* atRealSpeed(
  audio: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let startedAt: number | undefined;
  let bytes = 0;
  for await (const chunk of audio) {
    startedAt ??= performance.now();
    for (let at = 0; at < chunk.length; at += frameBytes) {
      if (signal.aborted) return;
      const aheadMs = (bytes / bytesPerSecond) * 1000 - (performance.now() - startedAt);
      if (aheadMs > 0) await sleep(aheadMs, undefined, { signal }).catch(() => {});
      const frame = chunk.subarray(at, at + frameBytes);
      bytes += frame.length;
      yield frame;
    }
  }
}
