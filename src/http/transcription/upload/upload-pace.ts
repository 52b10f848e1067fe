import { ServiceError } from '../../../errors/service-error.ts';

export type UploadPaceOptions = {
  /** No byte for so long, and the upload is given up. */
  idleMs: number;
  /** What the upload must come to on average once the grace has passed; 0 asks for nothing. */
  minimumBytesPerSecond: number;
  graceMs: number;
  signal?: AbortSignal;
};

/**
 * Passes an upload on as long as it comes at a reasonable pace. Only the time spent waiting for the client counts: when
 * the reader of these chunks is slow, that is our doing.
 */
export async function* paceUpload(
  chunks: AsyncIterable<Uint8Array>,
  { idleMs, minimumBytesPerSecond, graceMs, signal }: UploadPaceOptions,
): AsyncGenerator<Uint8Array, void> {
  const source = chunks[Symbol.asyncIterator]();
  let bytes = 0;
  let waitedMs = 0;
  let ended = false;
  try {
    while (true) {
      const askedAt = performance.now();
      const next = await within(source.next(), idleMs, signal);
      waitedMs += performance.now() - askedAt;
      if (next.done) {
        ended = true;
        return;
      }
      bytes += next.value.length;
      if (waitedMs > graceMs && bytes < (minimumBytesPerSecond * waitedMs) / 1000) throw tooSlow();
      yield next.value;
    }
  } finally {
    // Not waited for: a source that is stuck would never come to its end.
    if (!ended) source.return?.()?.catch(() => {});
  }
}

const secondLookMs = 100;

async function within<T>(next: Promise<T>, idleMs: number, signal: AbortSignal | undefined): Promise<T> {
  // It fails too when the signal aborts, and by then nobody waits for it.
  next.catch(() => {});
  signal?.throwIfAborted();
  let stopWaiting = () => {};
  const stopped = new Promise<never>((_, reject) => {
    // After a moment in which this process was too busy to read, what has come meanwhile is seen before it is judged.
    let timer = setTimeout(() => {
      timer = setTimeout(() => reject(tooSlow()), secondLookMs);
    }, idleMs);
    const onAbort = () => reject(signal!.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    stopWaiting = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
  });
  try {
    return await Promise.race([next, stopped]);
  } finally {
    stopWaiting();
  }
}

function tooSlow(): ServiceError {
  return new ServiceError('invalid_multipart', {
    message: 'The upload came too slowly and was cut off. Send it again over a better connection.',
  });
}
