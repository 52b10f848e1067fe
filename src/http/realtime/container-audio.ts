import { setTimeout as sleep } from 'node:timers/promises';
import { createAsyncQueue } from '../../async/async-queue.ts';
import { decodeAudio } from '../../audio/decode-audio.ts';
import { toLinear16 } from '../../audio/samples/linear16.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Session } from '../../sessions/session.ts';
import type { AudioInput } from './conversation.ts';

/** Decoding waits while the session has this much audio to recognise, because a small message can hold a minute of it. */
const maxAheadSeconds = 8;
const checkEveryMs = 50;
/** An estimate for audio that is not decoded yet: browsers record at least this much. */
const bytesPerSecond = 4000;

/**
 * Receives audio in a container (webm from a browser's recorder, ogg, mp3 …) piece by piece, and decodes it for a session of
 * LINEAR16 at 16 kHz. It closes the session when the audio has ended.
 */
export function decodeContainerAudio(session: Session): AudioInput {
  const sessionClosed = new AbortController();
  const received = createAsyncQueue<Uint8Array>({ signal: sessionClosed.signal });
  let waitingBytes = 0;
  session.closed.then(() => sessionClosed.abort());
  decode().catch((cause) => {
    const message = 'The audio cannot be read. Send webm, ogg, mp3, wav or flac from its beginning.';
    session.end('bad_audio', new ServiceError('invalid_file_format', { message, cause }));
  });

  return {
    receiveAudio(bytes) {
      if (bytes.length === 0) return received.end();
      // Audio that is not decoded yet keeps the session from being idle.
      session.keepAlive();
      received.push(bytes);
      waitingBytes += bytes.length;
    },
    close: received.end,
    get bufferedSeconds() {
      return session.bufferedSeconds + waitingBytes / bytesPerSecond;
    },
    get waiting() {
      return session.waiting + received.size;
    },
  };

  async function decode(): Promise<void> {
    const { signal } = sessionClosed;
    for await (const pcm of decodeAudio(pieces(), { signal })) {
      session.receiveAudio(toLinear16(pcm));
      while (session.bufferedSeconds > maxAheadSeconds && !signal.aborted) await sleep(checkEveryMs);
    }
    session.close();
  }

  async function* pieces(): AsyncGenerator<Uint8Array> {
    for await (const piece of received.items()) {
      waitingBytes -= piece.length;
      yield piece;
    }
  }
}
