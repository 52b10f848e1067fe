import assert from 'node:assert';
import { createAsyncQueue } from '../async/async-queue.ts';
import { BadAudio } from '../audio/bad-audio.ts';
import type { FlacPcm } from '../audio/flac/flac-pcm.ts';
import type { Pcm } from '../audio/pcm.ts';
import type { StreamDecoding } from '../audio/stream-decoding.ts';
import { hasCode, ServiceError } from '../errors/service-error.ts';
import { createProcessPool, type PoolLog } from '../pool/process-pool.ts';
import type { HeardBlock } from '../speech/windows/voice/voice-activity.ts';
import {
  type DecoderEnd,
  type DecoderOptions,
  type DecoderProcess,
  startDecoder,
} from './decoder-process.ts';
import { defaultDecodeLimits, tooCostly } from './process/decode-limits.ts';
import type { DecodeKind } from './process/messages.ts';
import { createRemoteDecoding, type RemoteBlock, type RemoteDecoding } from './remote-decoding.ts';
import { createReplayMemory } from './replay-memory.ts';

export type DecoderPoolOptions = {
  processes: number;
  voiceGraphPath: string;
  /** A process above this limit is replaced once it has nothing to do; above one and a half times the limit it is killed at once. */
  memoryLimitBytes: number;
  limits?: Partial<DecoderOptions['limits']>;
  silenceTimeoutMs?: number;
  startTimeoutMs?: number;
  /** How long a file or stream may wait for a process. */
  waitMs?: number;
  memoryReportMs?: number;
  log?: PoolLog;
};

export interface DecoderPool extends StreamDecoding, AsyncDisposable {
  decodeFile(bytes: AsyncIterable<Uint8Array>, options: { signal?: AbortSignal }): AsyncGenerator<HeardBlock>;
  /** Resolves when the first process can decode; rejects when processes cannot start. */
  ready(): Promise<void>;
  stats(): {
    processes: number;
    decodings: number;
    waiting: number;
    restarts: number;
    rssBytes: number;
    heldBytes: number;
  };
}

/** Of all files and streams together, kept to decode them anew. */
const replayBytes = 32 << 20;
/** A decoding that has lost so many processes through no fault of its own is given up too. */
const mostMoves = 4;

/** Decodes files and streams in processes of their own, so that none of them can hold up the thread that serves everybody. */
export function createDecoderPool(options: DecoderPoolOptions): DecoderPool {
  const { processes, waitMs = 30_000 } = options;
  assert(processes >= 1, 'Decoding needs at least one process.');
  const memory = createReplayMemory(replayBytes);
  const waiting = new Map<RemoteDecoding, NodeJS.Timeout>();
  let nextId = 0;
  let stopped = false;

  const pool = createProcessPool<DecoderProcess, DecoderEnd>({
    name: 'decoder process',
    processes,
    startAttempts: 5,
    start: (events) => startDecoder(decoderOptions(options), events),
    log: options.log,
    onReady() {
      for (const decoding of [...waiting.keys()]) assign(decoding);
    },
    onEnd(end) {
      for (const decoding of end.unfinished) goOnElsewhere(decoding, end);
    },
    onGiveUp(cause) {
      failWaiting(() => new ServiceError('unavailable', { cause }));
    },
  });

  return {
    decodeFile: (bytes, { signal }) => decode('file', bytes, signal) as AsyncGenerator<HeardBlock>,
    async *decodeContainer(bytes, { signal }) {
      for await (const { samples } of decode('container', bytes, signal)) yield samples;
    },
    openFlac: () => openFlac((bytes, signal) => decode('flac', bytes, signal)),

    ready: pool.ready,

    stats() {
      const all = [...pool.children];
      return {
        processes: pool.takingJobs().length,
        decodings: all.reduce((sum, { decodings }) => sum + decodings.size, 0),
        waiting: waiting.size,
        restarts: pool.restarts(),
        rssBytes: all.reduce((sum, process) => sum + process.rssBytes(), 0),
        heldBytes: memory.heldBytes(),
      };
    },

    async [Symbol.asyncDispose]() {
      stopped = true;
      failWaiting(() => new ServiceError('shutting_down'));
      await pool.stop(Promise.resolve());
    },
  };

  async function* decode(
    kind: DecodeKind,
    bytes: AsyncIterable<Uint8Array>,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<RemoteBlock> {
    signal?.throwIfAborted();
    if (stopped) throw new ServiceError('shutting_down');
    const decoding = createRemoteDecoding({
      id: nextId++,
      kind,
      bytes,
      memory,
      signal,
      onSettled() {
        stopWaiting(decoding);
        for (const process of pool.children) if (process.decodings.has(decoding.id)) process.forget(decoding);
      },
    });
    assign(decoding);
    yield* decoding.blocks();
  }

  /** The process with the fewest files and streams takes it; one that is too large only if there is no other. */
  function assign(decoding: RemoteDecoding): void {
    stopWaiting(decoding);
    const load = (process: DecoderProcess) => process.decodings.size + (process.isLarge() ? 1e6 : 0);
    const [process] = pool.takingJobs().sort((a, b) => load(a) - load(b));
    if (process) {
      process.open(decoding);
      return;
    }
    const late = setTimeout(() => {
      stopWaiting(decoding);
      decoding.fail(new ServiceError('unavailable'));
    }, waitMs);
    waiting.set(decoding, late);
    pool.wake();
  }

  /**
   * A process has died. What it worked on last may be the cause, and gets one more try unless it certainly is; the others are
   * decoded anew by other processes. That needs all their bytes: one that has sent too many must be sent again by its client.
   */
  function goOnElsewhere(decoding: RemoteDecoding, { cause, certain, suspect }: DecoderEnd): void {
    decoding.detach();
    if (decoding === suspect) decoding.deaths++;
    decoding.moves++;
    if (stopped) decoding.fail(new ServiceError('shutting_down', { cause }));
    else if (decoding === suspect && (certain || decoding.deaths > 1)) decoding.fail(tooCostly(cause));
    else if (!decoding.canBeginAnew || decoding.moves > mostMoves)
      decoding.fail(new ServiceError('unavailable', { cause }));
    else assign(decoding);
  }

  function stopWaiting(decoding: RemoteDecoding): void {
    clearTimeout(waiting.get(decoding));
    waiting.delete(decoding);
  }

  function failWaiting(error: () => Error): void {
    for (const decoding of [...waiting.keys()]) decoding.fail(error());
  }
}

/** Every piece is answered with the audio that follows from it, also when that is none. */
function openFlac(
  decode: (bytes: AsyncIterable<Uint8Array>, signal: AbortSignal) => AsyncGenerator<RemoteBlock>,
): FlacPcm {
  const freed = new AbortController();
  const pieces = createAsyncQueue<Uint8Array>();
  const answers = decode(pieces.items(), freed.signal);
  const answer = async (): Promise<Pcm> => {
    try {
      const next = await answers.next();
      return next.done ? new Float32Array(0) : next.value.samples;
    } catch (error) {
      // Clients of a stream are told in another form than those who sent a file.
      if (hasCode(error, 'invalid_file_format')) throw new BadAudio(error.message, { cause: error });
      throw error;
    }
  };
  return {
    push(bytes) {
      pieces.push(bytes);
      return answer();
    },
    async end() {
      pieces.end();
      return answer();
    },
    free() {
      pieces.end();
      freed.abort(new Error('The stream is over.'));
      void answers.return(undefined).catch(() => {});
    },
  };
}

function decoderOptions(options: DecoderPoolOptions): DecoderOptions {
  return {
    voiceGraphPath: options.voiceGraphPath,
    limits: { ...defaultDecodeLimits, memoryBytes: options.memoryLimitBytes, ...options.limits },
    startTimeoutMs: options.startTimeoutMs ?? 60_000,
    silenceTimeoutMs: options.silenceTimeoutMs ?? 10_000,
    memoryReportMs: options.memoryReportMs ?? 500,
  };
}
