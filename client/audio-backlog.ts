/** Audio that was written and is not covered by a final yet. Positions are bytes from the beginning of the stream. */
type AudioBacklog = {
  readonly start: number;
  readonly end: number;
  append(chunk: Uint8Array): void;
  /** Drops the audio before the position. */
  dropBefore(position: number): void;
  /** Reads some bytes from the position on; none if no audio is there yet. */
  read(position: number, maxBytes: number): Uint8Array;
};

export function createAudioBacklog(): AudioBacklog {
  let chunks: Uint8Array[] = [];
  let start = 0;
  let end = 0;

  return {
    get start() {
      return start;
    },
    get end() {
      return end;
    },
    append(chunk) {
      if (chunk.length === 0) return;
      // The caller may use its buffer again.
      chunks.push(chunk.slice());
      end += chunk.length;
    },
    dropBefore(position) {
      let drop = 0;
      while (drop < chunks.length && start + chunks[drop]!.length <= position) {
        start += chunks[drop]!.length;
        drop += 1;
      }
      chunks = drop > 0 ? chunks.slice(drop) : chunks;
      const first = chunks[0];
      if (first && start < position) {
        chunks[0] = first.subarray(position - start);
        start = position;
      }
    },
    read(position, maxBytes) {
      let at = start;
      for (const chunk of chunks) {
        if (position < at + chunk.length) return chunk.subarray(position - at, position - at + maxBytes);
        at += chunk.length;
      }
      return new Uint8Array();
    },
  };
}
