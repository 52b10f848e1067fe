import { setTimeout as sleep } from 'node:timers/promises';
import { decodeAudio } from '../../audio/decode-audio.ts';
import { toLinear16 } from '../../audio/samples/linear16.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Session } from '../../sessions/session.ts';

/** Audio in a container (webm from a browser's recorder, ogg, mp3 …) that comes piece by piece. */
export type ContainerAudio = {
  push(bytes: Uint8Array): void;
  /** The client has sent everything. */
  end(): void;
  /** Decoded or not. */
  readonly bufferedSeconds: number;
};

/** Decoding waits while the session has this much before it: a small message can hold a minute. */
const aheadSeconds = 8;
const lookEveryMs = 50;
/** A guess, as long as it is not decoded: what browsers record at least. */
const bytesPerSecond = 4000;

/** Decodes into a session of LINEAR16 at 16 kHz, and closes it when the audio has ended. */
export function feedContainerAudio(session: Session): ContainerAudio {
  const waiting: Uint8Array[] = [];
  const over = new AbortController();
  let waitingBytes = 0;
  let hasEnded = false;
  let wake = () => {};
  session.closed.then(() => {
    over.abort();
    wake();
  });

  async function* pieces(): AsyncGenerator<Uint8Array> {
    while (!over.signal.aborted) {
      const piece = waiting.shift();
      if (piece) {
        waitingBytes -= piece.length;
        yield piece;
      } else if (hasEnded) return;
      else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  }

  async function decode(): Promise<void> {
    for await (const pcm of decodeAudio(pieces(), { signal: over.signal })) {
      session.receiveAudio(toLinear16(pcm));
      while (session.bufferedSeconds > aheadSeconds && !over.signal.aborted) await sleep(lookEveryMs);
    }
    session.close();
  }

  decode().catch((cause) => {
    const message = 'The audio cannot be read. Send webm, ogg, mp3, wav or flac from its beginning.';
    session.end('bad_audio', new ServiceError('invalid_file_format', { message, cause }));
  });

  return {
    push(bytes) {
      // Whatever is not decoded yet keeps the session from being idle.
      session.keepAlive();
      waiting.push(bytes);
      waitingBytes += bytes.length;
      wake();
    },
    end() {
      hasEnded = true;
      wake();
    },
    get bufferedSeconds() {
      return session.bufferedSeconds + waitingBytes / bytesPerSecond;
    },
  };
}
