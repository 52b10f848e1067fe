import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { joinSamples } from '../../src/audio/audio-block.ts';
import { decodeAudio } from '../../src/audio/decode-audio.ts';
import { pcmSampleRate } from '../../src/audio/pcm.ts';
import { toLinear16 } from '../../src/audio/samples/linear16.ts';
import type { Seen } from './caption-figures.ts';
import { openStream, type StreamTarget, sessionEnd } from './stream-client.ts';

/** Silence after the last word, so that the pause is the speaker's and not the end of the stream. */
const pauseSeconds = 1.5;
const frameMs = 20;
const frameBytes = (pcmSampleRate / 1000) * frameMs * 2;

export type Recording = { bytes: Uint8Array; seconds: number };

export async function readRecording(file: string): Promise<Recording> {
  const source = (async function* () {
    yield new Uint8Array(await readFile(file));
  })();
  const chunks: Float32Array[] = [];
  for await (const chunk of decodeAudio(source)) chunks.push(chunk);
  chunks.push(new Float32Array(pauseSeconds * pcmSampleRate));
  const samples = joinSamples(chunks);
  return { bytes: toLinear16(samples), seconds: samples.length / pcmSampleRate };
}

/** Plays a recording as somebody would speak it, in frames of 20 ms, and gives what came back and when. */
export async function playRecording(
  target: StreamTarget,
  { bytes }: Recording,
  endpointingMs: number,
): Promise<Seen> {
  const client = await openStream(target, `?endpointing_ms=${endpointingMs}`);
  const startedAt = performance.now();
  for (let at = 0; at < bytes.length; at += frameBytes) {
    const dueMs = (at / frameBytes + 1) * frameMs - (performance.now() - startedAt);
    if (dueMs > 0) await sleep(dueMs);
    client.send(bytes.subarray(at, at + frameBytes));
  }
  client.send('{"type":"close"}');
  const code = await client.closed;
  if (code !== 1000 || !sessionEnd(client)) throw new Error(`A stream was closed with ${code}.`);
  return client.events.map(({ event, atMs }) => ({ event, atSeconds: (atMs - startedAt) / 1000 }));
}
