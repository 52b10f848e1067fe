import { ServiceError } from '../../../errors/service-error.ts';

export type UploadPaceOptions = {
  /** An upload that sends no byte for so long is cut off. */
  idleMs: number;
  /** The average speed that an upload needs once `graceMs` have passed. 0 means any speed. */
  minimumBytesPerSecond: number;
  graceMs: number;
  signal?: AbortSignal;
};

/**
 * Passes an upload on as long as it is fast enough. Only the time spent waiting for the client counts, because a slow reader of
 * these chunks is not the client's fault.
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
    // We do not wait for this, because a source that is stuck would never end.
    if (!ended) source.return?.()?.catch(() => {});
  }
}

const lastCheckMs = 100;

async function within<T>(next: Promise<T>, idleMs: number, signal: AbortSignal | undefined): Promise<T> {
  // The source also fails when the signal aborts, and then nobody waits for it any more.
  next.catch(() => {});
  signal?.throwIfAborted();
  let stopWaiting = () => {};
  const stopped = new Promise<never>((_, reject) => {
    // This process may have been too busy to read. So bytes that have come meanwhile get a last chance to be read.
    let timer = setTimeout(() => {
      timer = setTimeout(() => reject(tooSlow()), lastCheckMs);
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
