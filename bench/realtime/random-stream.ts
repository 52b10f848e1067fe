import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { Random } from '../../evaluation/random.ts';
import { openStream, type StreamTarget } from './stream-client.ts';
import { fateOf, type StreamFate } from './stream-fate.ts';

const encodings = ['LINEAR16', 'LINEAR16', 'LINEAR16', 'MULAW', 'FLAC'] as const;
const rates = [8000, 16_000, 24_000, 48_000];
const texts = [
  '{"type":"keepalive"}',
  '{"type":"keepalive"}',
  '{"type":"finalize"}',
  '{"type":"finalize"}',
  '{"type":"close"}',
  '{"type":"nonsense"}',
  'no json',
  '[]',
  '"text"',
];
const maxSteps = 25;
const maxFrameBytes = 20_000;

/** A client that does one thing after another, whatever comes to its mind; the same for the same seed. */
export async function runRandomStream(
  target: StreamTarget,
  random: Random,
  speech: Uint8Array,
): Promise<StreamFate> {
  const encoding = random.pick(encodings);
  const rate = random.pick(rates);
  const client = await openStream(target, `?encoding=${encoding}&sample_rate=${rate}`);
  const bytesPerSecond = { LINEAR16: rate * 2, MULAW: rate, FLAC: 0 }[encoding];
  let bytes = 0;
  let left = false;
  const steps = 1 + random.below(maxSteps);
  for (let step = 0; step < steps && client.socket.readyState === WebSocket.OPEN; step++) {
    const choice = random.next();
    if (choice < 0.8) {
      const frame = randomFrame(random, speech);
      bytes += frame.length;
      client.send(frame);
    } else if (choice < 0.95) client.send(random.pick(texts));
    else if (choice < 0.97) client.send(new Uint8Array(0));
    else if (choice < 0.98) client.send(new Uint8Array(256 * 1024 + 1));
    else if (choice < 0.99) {
      client.socket.terminate();
      left = true;
    } else await sleep(random.below(20));
  }
  if (!left) client.send('{"type":"close"}');
  // FLAC is as long as it says.
  const sentSeconds = bytesPerSecond === 0 ? Number.POSITIVE_INFINITY : bytes / bytesPerSecond;
  return fateOf({ name: `random ${encoding} at ${rate}`, client, sentSeconds, left });
}

function randomFrame(random: Random, speech: Uint8Array): Uint8Array {
  const length = 1 + random.below(maxFrameBytes);
  if (random.next() < 0.7) {
    const from = random.below(Math.max(1, speech.length - length));
    return speech.subarray(from, from + length);
  }
  return Uint8Array.from({ length }, () => random.below(256));
}
