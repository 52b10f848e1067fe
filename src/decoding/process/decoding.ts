import { createAsyncQueue } from '../../async/async-queue.ts';
import { createNotifier } from '../../async/notifier.ts';
import { BadAudio } from '../../audio/bad-audio.ts';
import { decodeAudio } from '../../audio/decode-audio.ts';
import { createFlacPcm } from '../../audio/flac/flac-pcm.ts';
import type { Pcm } from '../../audio/pcm.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { packError } from '../../pool/process/carried-error.ts';
import type { VoiceActivity } from '../../speech/windows/voice/voice-activity.ts';
import { hear } from '../../speech/windows/window-recording.ts';
import { type DecodeLimits, type DecodeUse, isTooCostly, tooCostly } from './decode-limits.ts';
import type { DecodeKind, FromDecoder } from './messages.ts';
import type { Turns } from './turns.ts';

type DecodingOptions = {
  id: number;
  kind: DecodeKind;
  voice: VoiceActivity;
  limits: DecodeLimits;
  turns: Turns;
  send(message: FromDecoder): void;
  /** Called before each of its turns, and after them with the bytes by which the process has grown meanwhile. */
  onTurn(): void;
  onTurnOver(grownBytes: number): void;
};

/** One file or stream in a decoder process. */
export type Decoding = {
  push(bytes: Uint8Array): void;
  end(): void;
  addCredit(blocks: number): void;
  /** Ends it with an answer. */
  fail(error: Error): void;
  /** Ends it without one: nobody wants it any more. */
  close(): void;
  readonly ended: Promise<void>;
};

type Block = { samples: Pcm; probabilities?: Float32Array };

export function startDecoding(options: DecodingOptions): Decoding {
  const { id, kind, voice, limits, turns, send } = options;
  const closing = new AbortController();
  const received = createAsyncQueue<Uint8Array>({ signal: closing.signal });
  const credited = createNotifier();
  const use: DecodeUse = { processorMs: 0, samples: 0, bytes: 0 };
  let turn: { startedAt: NodeJS.CpuUsage; rssBytes: number } | undefined;
  let credit = 0;
  let failure: Error | undefined;
  const ended = run();

  return {
    push: received.push,
    end: received.end,
    addCredit(blocks) {
      credit += blocks;
      credited.notify();
    },
    fail(error) {
      failure ??= error;
      closing.abort(error);
      credited.notify();
    },
    close() {
      closing.abort(new Error('Nobody wants the audio any more.'));
      credited.notify();
    },
    ended,
  };

  async function run(): Promise<void> {
    try {
      await takeTurn();
      if (kind === 'flac') await answerPieces();
      else await sendBlocks(kind === 'file' ? hear(decoded(), voice) : withoutVoice(decoded()));
      send({ type: 'done', id });
    } catch (error) {
      report(failure ?? error);
    } finally {
      giveTurn();
    }
  }

  async function sendBlocks(blocks: AsyncIterable<Block>): Promise<void> {
    for await (const block of blocks) {
      use.samples += block.samples.length;
      await rest(async () => {
        while (credit === 0 && !closing.signal.aborted) await credited.next();
      });
      credit--;
      send({ type: 'audio', id, ...block });
    }
  }

  async function answerPieces(): Promise<void> {
    const flac = createFlacPcm();
    try {
      for await (const bytes of pieces()) answer(await flac.push(bytes));
      answer(await flac.end());
    } finally {
      flac.free();
    }
  }

  function answer(samples: Pcm): void {
    use.samples += samples.length;
    send({ type: 'audio', id, samples });
  }

  function decoded(): AsyncGenerator<Pcm> {
    return decodeAudio(pieces(), { signal: closing.signal });
  }

  async function* pieces(): AsyncGenerator<Uint8Array> {
    const source = received.items();
    try {
      for (;;) {
        const next = await rest(() => source.next());
        if (next.done) return;
        use.bytes += next.value.length;
        send({ type: 'taken', id });
        yield next.value;
      }
    } finally {
      void source.return(undefined).catch(() => {});
    }
  }

  /** Lets others work while it waits. Throws when it has cost too much. */
  async function rest<T>(wait: () => Promise<T>): Promise<T> {
    giveTurn();
    if (isTooCostly(use, limits)) throw tooCostly();
    const result = await wait();
    await takeTurn();
    if (!closing.signal.aborted) return result;
    // Whoever pulls may have gone while it waited for its turn, and would never give it on.
    giveTurn();
    throw closing.signal.reason;
  }

  async function takeTurn(): Promise<void> {
    await turns.take();
    options.onTurn();
    turn = { startedAt: process.cpuUsage(), rssBytes: process.memoryUsage.rss() };
  }

  function giveTurn(): void {
    if (!turn) return;
    const { user, system } = process.cpuUsage(turn.startedAt);
    const grownBytes = process.memoryUsage.rss() - turn.rssBytes;
    use.processorMs += (user + system) / 1000;
    turn = undefined;
    turns.give();
    options.onTurnOver(grownBytes);
  }

  function report(error: unknown): void {
    if (closing.signal.aborted && !failure) return;
    const isBadAudio = error instanceof BadAudio;
    // Whatever else a codec throws, the bytes are the reason.
    const known = isBadAudio || error instanceof ServiceError;
    const told = known ? error : new ServiceError('invalid_file_format', { cause: error });
    send({ type: 'failed', id, error: packError(told), isBadAudio });
  }
}

async function* withoutVoice(chunks: AsyncIterable<Pcm>): AsyncGenerator<Block> {
  for await (const samples of chunks) yield { samples };
}
