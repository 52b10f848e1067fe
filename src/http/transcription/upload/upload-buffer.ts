import { createNotifier } from '../../../async/notifier.ts';
import type { TranscriptionCapacity } from '../capacity.ts';
import { maxHeldBytes } from './upload-limits.ts';

/**
 * A file while it is uploaded. It is written once, and read from its beginning while more is coming. While it holds all its
 * bytes, it can be read again. After it has stopped holding them, it keeps only what is not read yet, and makes the writer wait.
 */
export type UploadBuffer = Disposable & {
  /** After disposal, bytes are thrown away. */
  append(bytes: Uint8Array): void;
  end(): void;
  /** Resolves when so little waits for the reader that more may be written. */
  drained(): Promise<void>;
  /** Resolves when the first bytes have come. */
  begun: Promise<void>;
  /** Reads from the first byte. An earlier reader fails then. Only allowed while `rewindable`. */
  read(): AsyncGenerator<Uint8Array>;
  rewindable(): boolean;
  /** Why it is not rewindable: the file is too long, or other uploads hold too much. */
  overflow(): 'file' | 'others' | undefined;
  /** Holds no more bytes for another reader. */
  stopHolding(): void;
};

type UploadBufferOptions = { capacity: Pick<TranscriptionCapacity, 'hold' | 'release'>; maxHeld?: number };

/** Bytes are copied into blocks of one size, because a client may send very small pieces. */
const blockBytes = 64 * 1024;
const maxLagBytes = 512 * 1024;

export function createUploadBuffer({ capacity, maxHeld = maxHeldBytes }: UploadBufferOptions): UploadBuffer {
  const blocks: Uint8Array[] = [];
  let firstBlock = 0;
  let writtenBytes = 0;
  let readBytes = 0;
  let heldBytes = 0;
  let holding = true;
  let overflow: 'file' | 'others' | undefined;
  let ended = false;
  let discarding = false;
  let reader = 0;
  const begun = createNotifier();
  const written = createNotifier();
  const read = createNotifier();

  const buffer: UploadBuffer = {
    begun: begun.next(),

    append(bytes) {
      if (discarding) return;
      for (let at = 0; at < bytes.length; ) {
        if (writtenBytes % blockBytes === 0) addBlock();
        const offset = writtenBytes % blockBytes;
        const piece = bytes.subarray(at, at + blockBytes - offset);
        blocks.at(-1)!.set(piece, offset);
        writtenBytes += piece.length;
        at += piece.length;
      }
      begun.notify();
      written.notify();
    },

    end() {
      ended = true;
      written.notify();
    },

    async drained() {
      while (!holding && !discarding && writtenBytes - readBytes > maxLagBytes) await read.next();
    },

    read() {
      if (firstBlock > 0) throw new Error('The beginning of the file is not held any more.');
      readBytes = 0;
      return readFrom(++reader);
    },

    rewindable: () => firstBlock === 0,
    overflow: () => overflow,

    stopHolding() {
      holding = false;
      dropRead();
    },

    [Symbol.dispose]() {
      discarding = true;
      reader++;
      readBytes = writtenBytes;
      holding = false;
      dropBlocks(blocks.length);
      read.notify();
      written.notify();
    },
  };
  return buffer;

  async function* readFrom(self: number): AsyncGenerator<Uint8Array> {
    while (self === reader) {
      if (readBytes < writtenBytes) {
        const block = Math.floor(readBytes / blockBytes);
        const from = readBytes - block * blockBytes;
        const piece = blocks[block - firstBlock]!.subarray(from, writtenBytes - block * blockBytes);
        readBytes += piece.length;
        if (!holding) dropRead();
        read.notify();
        yield piece;
      } else if (ended) return;
      else await written.next();
    }
    throw new Error('Another reader has taken over, or nobody wants the file any more.');
  }

  function addBlock(): void {
    blocks.push(new Uint8Array(blockBytes));
    if (!holding) return;
    if (heldBytes + blockBytes > maxHeld) overflow = 'file';
    else if (!capacity.hold(blockBytes)) overflow = 'others';
    else heldBytes += blockBytes;
    if (overflow) buffer.stopHolding();
  }

  /** Drops whole blocks that were read. The last block stays, because it is still being written. */
  function dropRead(): void {
    dropBlocks(Math.min(Math.floor(readBytes / blockBytes) - firstBlock, blocks.length - 1));
  }

  function dropBlocks(count: number): void {
    if (count <= 0) return;
    blocks.splice(0, count);
    firstBlock += count;
    const released = Math.min(heldBytes, count * blockBytes);
    heldBytes -= released;
    capacity.release(released);
  }
}
