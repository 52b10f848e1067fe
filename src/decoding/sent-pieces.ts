import type { ReplayMemory } from './replay-memory.ts';

/** The bytes of one file or stream on their way to a decoder process, kept for a second way while there is memory for that. */
export type SentPieces = {
  add(bytes: Uint8Array): void;
  /** The next piece to send. */
  next(): Uint8Array | undefined;
  /** All pieces are to be sent again. Only while `isWhole`. */
  rewind(): void;
  /** Whether it still has its first piece. */
  readonly isWhole: boolean;
  drop(): void;
};

type Options = { memory: ReplayMemory; maxBytes: number; pieceBytes: number };

export function createSentPieces({ memory, maxBytes, pieceBytes }: Options): SentPieces {
  let pieces: Uint8Array[] = [];
  let sent = 0;
  let heldBytes = 0;
  let isWhole = true;

  const stopHolding = () => {
    isWhole = false;
    memory.release(heldBytes);
    heldBytes = 0;
    pieces = pieces.slice(sent);
    sent = 0;
  };

  return {
    add(bytes) {
      for (let at = 0; at < bytes.length; at += pieceBytes) {
        const piece = bytes.subarray(at, at + pieceBytes);
        pieces.push(isWhole ? ownMemory(piece) : piece);
      }
      if (!isWhole) return;
      const fits = heldBytes + bytes.length <= maxBytes && memory.hold(bytes.length);
      if (fits) heldBytes += bytes.length;
      else stopHolding();
    },
    next() {
      if (isWhole) return sent < pieces.length ? pieces[sent++] : undefined;
      return pieces.shift();
    },
    rewind() {
      sent = 0;
    },
    get isWhole() {
      return isWhole;
    },
    drop() {
      stopHolding();
      pieces = [];
    },
  };
}

/** A small piece may be a view of a large buffer, which would be kept with it. */
function ownMemory(piece: Uint8Array): Uint8Array {
  return piece.buffer.byteLength > 2 * piece.length ? piece.slice() : piece;
}
