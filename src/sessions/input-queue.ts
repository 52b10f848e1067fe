import { createAsyncQueue } from '../async/async-queue.ts';

export type SessionInput = { type: 'audio'; bytes: Uint8Array } | { type: 'finalize' };

/**
 * What a client has sent, until it is worked on. However small its messages are, few inputs wait: frames that follow each other
 * are joined, and so are many requests to make everything final, since one answer answers them all.
 */
export type InputQueue = {
  addAudio(bytes: Uint8Array): void;
  addFinalize(): void;
  /** Nothing follows. */
  end(): void;
  readonly size: number;
  /** For one reader. */
  items(): AsyncGenerator<SessionInput>;
};

/** The buffer is longer than the audio in it, so that frames can be added. */
type WaitingInput = { type: 'audio'; buffer: Uint8Array; byteLength: number } | { type: 'finalize' };

/** Frames are joined up to this length: a second at 16 kHz. */
const joinedBytes = 32 * 1024;

/** When this many inputs wait, no further `finalize` gets an answer of its own, unless audio came before it. */
const maxWaitingFinalizes = 16;

export function createInputQueue(): InputQueue {
  const queue = createAsyncQueue<WaitingInput>();
  return {
    addAudio(bytes) {
      const { last } = queue;
      const isJoined = last?.type === 'audio' && last.byteLength + bytes.length <= joinedBytes;
      if (isJoined) append(last, bytes);
      else queue.push({ type: 'audio', buffer: bytes.slice(), byteLength: bytes.length });
    },
    addFinalize() {
      const isAnsweredWithLast = queue.last?.type === 'finalize' && queue.size >= maxWaitingFinalizes;
      if (!isAnsweredWithLast) queue.push({ type: 'finalize' });
    },
    end: queue.end,
    get size() {
      return queue.size;
    },
    async *items() {
      for await (const input of queue.items()) {
        if (input.type === 'finalize') yield input;
        else yield { type: 'audio', bytes: input.buffer.subarray(0, input.byteLength) };
      }
    },
  };
}

function append(waiting: Extract<WaitingInput, { type: 'audio' }>, bytes: Uint8Array): void {
  const byteLength = waiting.byteLength + bytes.length;
  if (byteLength > waiting.buffer.length) {
    const larger = new Uint8Array(Math.min(joinedBytes, Math.max(byteLength, 2 * waiting.buffer.length)));
    larger.set(waiting.buffer.subarray(0, waiting.byteLength));
    waiting.buffer = larger;
  }
  waiting.buffer.set(bytes, waiting.byteLength);
  waiting.byteLength = byteLength;
}
