import { setTimeout as sleep } from 'node:timers/promises';
import { leasesClosed } from './open-leases.ts';
import { openStream, type StreamTarget } from './stream-client.ts';
import { fateOf, type StreamFate } from './stream-fate.ts';

const second = 32_000;

/** Each thing that clients do to a stream, and how it should end. `speech` is LINEAR16 at 16 kHz. */
export function hardClients(
  target: StreamTarget,
  speech: Uint8Array,
): Record<string, () => Promise<StreamFate>> {
  const seconds = speech.length / second;
  const one =
    (name: string, query: string, expected: number[], frames: (Uint8Array | string)[]) => async () => {
      const client = await openStream(target, query);
      for (const frame of frames) client.send(frame);
      const bytes = frames.reduce((sum, frame) => sum + (typeof frame === 'string' ? 0 : frame.length), 0);
      // At 8 kHz they last twice as long; FLAC says itself how long it is.
      const sentSeconds = query.includes('FLAC') ? Number.POSITIVE_INFINITY : (bytes / second) * 2;
      return fateOf({ name, client, sentSeconds, expected });
    };
  const close = '{"type":"close"}';
  const garbage = Uint8Array.from({ length: 9000 }, (_, i) => (i * 7919) % 251);
  return {
    'text for audio': one('text for audio', '', [1007], [Buffer.from(speech).toString('base64')]),
    'an empty frame': one('an empty frame', '', [1000], [speech, new Uint8Array(0)]),
    'only an empty frame': one('only an empty frame', '', [1000], [new Uint8Array(0)]),
    'a frame of 256 KiB': one('a frame of 256 KiB', '', [1000], [new Uint8Array(256 * 1024), close]),
    'a frame too large': one('a frame too large', '', [1009], [speech, new Uint8Array(256 * 1024 + 1)]),
    'a wrong rate': one('a wrong rate', '?sample_rate=8000', [1000], [speech, close]),
    'an odd number of bytes': one('an odd number of bytes', '', [1000], [speech.subarray(0, 3201), close]),
    'FLAC that is none': one('FLAC that is none', '?encoding=FLAC', [1003], [garbage, close]),
    'LINEAR16 as FLAC': one('LINEAR16 as FLAC', '?encoding=FLAC', [1003], [speech, close]),
    'a cut connection': async () => {
      const client = await openStream(target);
      client.send(speech);
      await sleep(100);
      client.socket.terminate();
      return fateOf({ name: 'a cut connection', client, sentSeconds: seconds, left: true });
    },
    'a close in the middle': async () => {
      const client = await openStream(target);
      client.send(speech);
      client.socket.close(1000);
      return fateOf({ name: 'a close in the middle', client, sentSeconds: seconds, left: true });
    },
    'a slow reader': async () => {
      const client = await openStream(target);
      client.socket.pause();
      client.send(speech);
      await sleep(2000);
      client.socket.resume();
      client.send(close);
      return fateOf({ name: 'a slow reader', client, sentSeconds: seconds, expected: [1000] });
    },
    'a half-open connection': async () => {
      const client = await openStream(target);
      client.send(speech);
      // It reads nothing any more, not even the close, and answers no ping: the service has to see to it by itself.
      client.socket.pause();
      const isNoticed = await leasesClosed(target);
      client.socket.terminate();
      const fate = await fateOf({ name: 'a half-open connection', client, sentSeconds: seconds, left: true });
      return isNoticed ? fate : { ...fate, fault: 'was never given up' };
    },
  };
}
