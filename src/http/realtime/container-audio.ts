import { setTimeout as sleep } from 'node:timers/promises';
import { createNotifier } from '../../async/notifier.ts';
import { GatheredBytes } from '../../audio/gathered-bytes.ts';
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
  /** Not yet given to the decoder. However small the messages are, it gets all that wait at once. */
  const received = new GatheredBytes();
  const arrived = createNotifier();
  let hasEnded = false;
  const end = () => {
    hasEnded = true;
    arrived.notify();
  };
  session.closed.then(() => {
    sessionClosed.abort();
    end();
  });
  decode().catch((cause) => {
    if (cause instanceof ServiceError && cause.status === 503) return session.end('overloaded', cause);
    const message = 'The audio cannot be read. Send webm, ogg, mp3, wav or flac from its beginning.';
    session.end('bad_audio', new ServiceError('invalid_file_format', { message, cause }));
  });

  return {
    receiveAudio(bytes) {
      if (hasEnded) return;
      if (bytes.length === 0) return end();
      // Audio that is not decoded yet keeps the session from being idle.
      session.keepAlive();
      received.append(bytes);
      arrived.notify();
    },
    close: end,
    get bufferedSeconds() {
      return session.bufferedSeconds + received.length / bytesPerSecond;
    },
    get waiting() {
      return session.waiting;
    },
  };

  async function decode(): Promise<void> {
    const { signal } = sessionClosed;
    for await (const pcm of session.decodeContainer(pieces(), { signal })) {
      session.receiveAudio(toLinear16(pcm));
      while (session.bufferedSeconds > maxAheadSeconds && !signal.aborted) await sleep(checkEveryMs);
    }
    session.close();
  }

  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (;;) {
      if (received.length > 0) {
        const piece = received.bytes.slice();
        received.drop(piece.length);
        yield piece;
      } else if (hasEnded) return;
      else await arrived.next();
    }
  }
}
