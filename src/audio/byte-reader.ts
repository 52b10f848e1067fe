/** Pulls bytes from a source in the sizes that a parser wants. Holds no more than what was asked for and the last chunk. */
export class ByteReader {
  readonly #iterator: AsyncIterator<Uint8Array>;
  readonly #signal: AbortSignal | undefined;
  #buffer: Uint8Array = new Uint8Array(0);
  #ended = false;
  #position = 0;
  #sourceError: unknown;

  constructor(bytes: AsyncIterable<Uint8Array>, signal?: AbortSignal) {
    this.#iterator = bytes[Symbol.asyncIterator]();
    this.#signal = signal;
  }

  /** How many bytes have been taken or skipped. */
  get position(): number {
    return this.#position;
  }

  /** What the source itself threw, so that a broken upload is never mistaken for a broken file. */
  get sourceError(): unknown {
    return this.#sourceError;
  }

  /** The next `length` bytes without consuming them; fewer only where the source ends. */
  async peek(length: number): Promise<Uint8Array> {
    if (this.#buffer.length < length && !this.#ended) await this.#fill(length);
    return this.#buffer.subarray(0, length);
  }

  /** The next `length` bytes; fewer only where the source ends. A view that stays valid: buffers are never reused. */
  async take(length: number): Promise<Uint8Array> {
    const bytes = await this.peek(length);
    this.#consume(bytes.length);
    return bytes;
  }

  /** Drops `length` bytes without gathering them; returns how many there were. */
  async skip(length: number): Promise<number> {
    let left = length;
    while (left > 0) {
      if (this.#buffer.length === 0) await this.#fill(1);
      const step = Math.min(left, this.#buffer.length);
      if (step === 0) break;
      this.#consume(step);
      left -= step;
    }
    return length - left;
  }

  /** Tells the source to stop. After an abort nothing is awaited, since the source may never answer. */
  async close(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    const returned = this.#iterator.return?.();
    if (!this.#signal?.aborted) await returned;
    else returned?.catch(() => {});
  }

  #consume(length: number): void {
    this.#buffer = this.#buffer.subarray(length);
    this.#position += length;
  }

  /** Gathers first and joins once: a source that yields single bytes must not cost quadratic time. */
  async #fill(length: number): Promise<void> {
    const parts = [this.#buffer];
    let total = this.#buffer.length;
    while (total < length) {
      const { done, value } = await this.#next();
      if (done) {
        this.#ended = true;
        break;
      }
      if (value.length > 0) parts.push(value);
      total += value.length;
    }
    this.#buffer = joinBytes(parts, total);
  }

  async #next(): Promise<IteratorResult<Uint8Array>> {
    this.#signal?.throwIfAborted();
    try {
      return await abortable(this.#iterator.next(), this.#signal);
    } catch (error) {
      this.#sourceError = error;
      throw error;
    }
  }
}

export function joinBytes(parts: Uint8Array[], total = sumLengths(parts)): Uint8Array {
  const filled = parts.filter((part) => part.length > 0);
  if (filled.length === 1) return filled[0]!;
  const joined = new Uint8Array(total);
  let offset = 0;
  for (const part of filled) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}

function sumLengths(parts: Uint8Array[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}

function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
