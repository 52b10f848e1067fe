import { unpackError } from '../pool/process/carried-error.ts';
import { forkProcess } from '../pool/process/child-process.ts';
import type { PooledProcess, ProcessEnd, ProcessEvents } from '../pool/process-pool.ts';
import type { DecodeLimits } from './process/decode-limits.ts';
import type { FromDecoder, ToDecoder } from './process/messages.ts';
import type { RemoteDecoding } from './remote-decoding.ts';

export type DecoderOptions = {
  voiceGraphPath: string;
  limits: DecodeLimits;
  startTimeoutMs: number;
  /** How long a process with decodings may be silent before it is killed. */
  silenceTimeoutMs: number;
  memoryReportMs: number;
};

export type DecoderEnd = ProcessEnd & {
  unfinished: RemoteDecoding[];
  /** The decoding that it worked on last. */
  suspect: RemoteDecoding | undefined;
  /** It was killed for what the suspect did. Otherwise the suspect may be innocent. */
  certain: boolean;
};

/** One decoder process: which files and streams it has, how large it is, and whether it is alive. */
export type DecoderProcess = PooledProcess & {
  readonly decodings: ReadonlyMap<number, RemoteDecoding>;
  /** Larger than it should be: it is replaced when it has nothing to do. */
  isLarge(): boolean;
  open(decoding: RemoteDecoding): void;
  forget(decoding: RemoteDecoding): void;
};

/** Of a JavaScript heap. Samples and codecs lie outside it. */
const heapMegabytes = 256;
const killFactor = 1.5;
/** A process that reads strangers' bytes need not know the passwords of the database and of Redis. */
const seenVariables = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'SystemRoot', 'NODE_OPTIONS'];

export function startDecoder(options: DecoderOptions, events: ProcessEvents<DecoderEnd>): DecoderProcess {
  const { limits, voiceGraphPath, memoryReportMs } = options;
  const decodings = new Map<number, RemoteDecoding>();
  let state: 'starting' | 'ready' | 'dying' = 'starting';
  let wasReady = false;
  let answered = 0;
  let rssBytes = 0;
  let lastTurn: number | undefined;
  let silence: NodeJS.Timeout | undefined;
  let death: { cause: Error; planned?: boolean; certain?: boolean } | undefined;
  let markEnded = () => {};
  const ended = new Promise<void>((resolve) => {
    markEnded = resolve;
  });

  const child = forkProcess<ToDecoder, FromDecoder>(
    {
      entry: new URL('./process/decoder.ts', import.meta.url),
      name: 'decoder process',
      flags: [`--max-old-space-size=${heapMegabytes}`],
      sees: seenVariables,
    },
    { message: receive, exit: end },
  );
  const startDeadline = after(options.startTimeoutMs, () =>
    kill({ cause: new Error(`The decoder process was not ready after ${options.startTimeoutMs} ms.`) }),
  );
  child.send({ type: 'start', voiceGraphPath, limits, memoryReportMs });

  return {
    pid: child.pid,
    ended,
    decodings,
    rssBytes: () => rssBytes,
    takesJobs: () => state === 'ready',
    isLarge: () => rssBytes > limits.memoryBytes,
    open(decoding) {
      decodings.set(decoding.id, decoding);
      expectLife();
      decoding.attach(child.send);
    },
    forget(decoding) {
      decodings.delete(decoding.id);
      expectLife();
      replaceIfLarge();
    },
    stop: () => kill({ cause: new Error('The decoder process was shut down.'), planned: true }),
  };

  /** As for inference processes: measured in quarters, since the machine may have slept. */
  function expectLife(quarters = 4): void {
    clearTimeout(silence);
    if (decodings.size === 0) return;
    const cause = new Error(`The decoder process said nothing for ${options.silenceTimeoutMs} ms.`);
    silence = after(options.silenceTimeoutMs / 4, () =>
      quarters === 1 ? kill({ cause, certain: true }) : expectLife(quarters - 1),
    );
  }

  function receive(message: FromDecoder): void {
    expectLife();
    switch (message.type) {
      case 'ready':
        clearTimeout(startDeadline);
        rssBytes = message.rssBytes;
        if (state !== 'starting') return;
        state = 'ready';
        wasReady = true;
        events.ready();
        break;
      case 'start_failed':
        kill({ cause: unpackError(message.error) });
        break;
      case 'memory':
        noteMemory(message.rssBytes);
        break;
      case 'turn':
        lastTurn = message.id;
        break;
      case 'done':
      case 'failed':
        answered++;
        events.worked();
        decodings.get(message.id)?.receive(message);
        break;
      case 'taken':
      case 'audio':
        decodings.get(message.id)?.receive(message);
        break;
      default:
        message satisfies never;
    }
  }

  function noteMemory(bytes: number): void {
    rssBytes = bytes;
    if (bytes > limits.memoryBytes * killFactor) kill({ cause: tooLarge(bytes, limits), certain: true });
    else replaceIfLarge();
  }

  function replaceIfLarge(): void {
    if (state !== 'ready' || decodings.size > 0 || rssBytes <= limits.memoryBytes || answered === 0) return;
    kill({ cause: tooLarge(rssBytes, limits), planned: true });
  }

  function kill(reason: NonNullable<typeof death>): void {
    death ??= reason;
    state = 'dying';
    child.kill();
  }

  function end(exit: Error): void {
    state = 'dying';
    clearTimeout(startDeadline);
    clearTimeout(silence);
    const unfinished = [...decodings.values()];
    const suspect = lastTurn === undefined ? undefined : decodings.get(lastTurn);
    decodings.clear();
    markEnded();
    const { cause = exit, planned = false, certain = false } = death ?? {};
    events.ended({ cause, planned, certain, suspect, wasReady, answered, unfinished });
  }
}

function tooLarge(rssBytes: number, { memoryBytes }: DecodeLimits): Error {
  const mebibytes = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MiB`;
  return new Error(
    `A decoder process used ${mebibytes(rssBytes)} of memory; its limit is ${mebibytes(memoryBytes)}.`,
  );
}

function after(delayMs: number, act: () => void): NodeJS.Timeout {
  return setTimeout(act, delayMs).unref();
}
