import { createAsyncQueue } from '../async/async-queue.ts';
import { createNotifier } from '../async/notifier.ts';
import { BadAudio } from '../audio/bad-audio.ts';
import type { Pcm } from '../audio/pcm.ts';
import { unpackError } from '../pool/process/carried-error.ts';
import type { DecodeKind, FromDecoder, ToDecoder } from './process/messages.ts';
import type { ReplayMemory } from './replay-memory.ts';
import { createSentPieces } from './sent-pieces.ts';

/** What a decoder process says about one decoding. */
export type DecodingMessage = Extract<FromDecoder, { id: number }>;

export type RemoteBlock = { samples: Pcm; probabilities?: Float32Array };

/** A file or stream that a decoder process decodes. When the process dies, another can begin anew, and nobody notices. */
export type RemoteDecoding = {
  readonly id: number;
  /** How many processes have died while they worked on it, and how many while they had it. */
  deaths: number;
  moves: number;
  /** Begins in a process, from the first byte. */
  attach(send: (message: ToDecoder) => void): void;
  /** The process is gone. */
  detach(): void;
  /** Whether all its bytes so far are still there to begin anew. */
  readonly canBeginAnew: boolean;
  receive(message: DecodingMessage): void;
  fail(error: Error): void;
  readonly settled: boolean;
  /** For one reader. Pulling is the back-pressure. */
  blocks(): AsyncGenerator<RemoteBlock>;
};

type Options = {
  id: number;
  kind: DecodeKind;
  bytes: AsyncIterable<Uint8Array>;
  memory: ReplayMemory;
  signal?: AbortSignal | undefined;
  /** It has ended, in whatever way. */
  onSettled(): void;
};

const pieceBytes = 64 * 1024;
/** Enough to keep a process busy while messages are on their way. */
const piecesAhead = 4;
const blocksAhead = 4;
const maxReplayBytes = 8 << 20;

export function createRemoteDecoding(options: Options): RemoteDecoding {
  const { id, kind, memory } = options;
  const pieces = createSentPieces({
    memory,
    maxBytes: maxReplayBytes,
    // Each piece of FLAC is answered, and must stay one.
    pieceBytes: kind === 'flac' ? Number.POSITIVE_INFINITY : pieceBytes,
  });
  const decoded = createAsyncQueue<RemoteBlock>(options.signal ? { signal: options.signal } : {});
  const changed = createNotifier();
  const source = options.bytes[Symbol.asyncIterator]();
  let send: ((message: ToDecoder) => void) | undefined;
  let inFlight = 0;
  let sourceEnded = false;
  let endSent = false;
  let settled = false;
  let blocksReceived = 0;
  /** Blocks that an earlier process has given already. */
  let blocksKnown = 0;

  const decoding: RemoteDecoding = {
    id,
    deaths: 0,
    moves: 0,
    attach(sendToProcess) {
      send = sendToProcess;
      pieces.rewind();
      inFlight = 0;
      endSent = false;
      blocksKnown = blocksReceived;
      send({ type: 'open', id, kind });
      send({ type: 'more', id, blocks: blocksAhead });
      sendPieces();
      changed.notify();
    },
    detach() {
      send = undefined;
    },
    get canBeginAnew() {
      return pieces.isWhole;
    },
    receive(message) {
      switch (message.type) {
        case 'turn':
          break;
        case 'taken':
          inFlight--;
          sendPieces();
          changed.notify();
          break;
        case 'audio':
          take(message);
          break;
        case 'done':
          decoded.end();
          settle();
          break;
        case 'failed':
          decoding.fail(
            message.isBadAudio ? new BadAudio(message.error.message) : unpackError(message.error),
          );
          break;
        default:
          message satisfies never;
      }
    },
    fail(error) {
      decoded.fail(error);
      settle();
    },
    get settled() {
      return settled;
    },
    async *blocks() {
      void feed();
      try {
        for await (const block of decoded.items()) {
          send?.({ type: 'more', id, blocks: 1 });
          yield block;
        }
      } finally {
        if (!settled) send?.({ type: 'close', id });
        settle();
      }
    },
  };
  return decoding;

  function take({ samples, probabilities }: FromDecoder & { type: 'audio' }): void {
    if (blocksKnown > 0) {
      blocksKnown--;
      send?.({ type: 'more', id, blocks: 1 });
      return;
    }
    blocksReceived++;
    decoded.push({ samples, ...(probabilities && { probabilities }) });
  }

  /** Brings bytes to whichever process has the decoding, no faster than it takes them. */
  async function feed(): Promise<void> {
    try {
      while (!settled) {
        sendPieces();
        if (send && inFlight < piecesAhead && !sourceEnded) await pull();
        else await changed.next();
      }
    } catch (error) {
      if (settled) return;
      send?.({ type: 'close', id });
      decoding.fail(error as Error);
    }
  }

  /** Does not wait for the source: after the death of a process, all pieces are there already. */
  function sendPieces(): void {
    while (send && inFlight < piecesAhead) {
      const bytes = pieces.next();
      if (!bytes) break;
      inFlight++;
      send({ type: 'bytes', id, bytes });
    }
    if (!send || !sourceEnded || endSent || inFlight >= piecesAhead) return;
    endSent = true;
    send({ type: 'end', id });
  }

  async function pull(): Promise<void> {
    const next = await source.next();
    if (settled) return;
    if (next.done) sourceEnded = true;
    else pieces.add(next.value);
  }

  function settle(): void {
    if (settled) return;
    settled = true;
    send = undefined;
    pieces.drop();
    changed.notify();
    // A source that waits for bytes may never answer.
    if (!sourceEnded) source.return?.()?.catch(() => {});
    options.onSettled();
  }
}
