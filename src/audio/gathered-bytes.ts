/** Bytes that come in pieces and are taken from the front. A piece costs about its own length, however much waits before it. */
export class GatheredBytes {
  #buffer = new Uint8Array(0);
  #start = 0;
  #end = 0;

  get length(): number {
    return this.#end - this.#start;
  }

  /** Everything that waits. Valid until the next `append`. */
  get bytes(): Uint8Array {
    return this.#buffer.subarray(this.#start, this.#end);
  }

  append(piece: Uint8Array): void {
    if (this.#end + piece.length > this.#buffer.length) this.#makeSpace(piece.length);
    this.#buffer.set(piece, this.#end);
    this.#end += piece.length;
  }

  drop(length: number): void {
    this.#start += length;
  }

  /** Twice as much as is needed, so that each byte is moved once on average, and not with every piece. */
  #makeSpace(length: number): void {
    const roomier = new Uint8Array(2 * (this.length + length));
    roomier.set(this.bytes);
    this.#end = this.length;
    this.#start = 0;
    this.#buffer = roomier;
  }
}
