import { unpackError } from '../pool/process/carried-error.ts';
import { forkProcess } from '../pool/process/child-process.ts';
import { judgeMemory, memoryExceeded } from '../pool/process/memory-limit.ts';
import { createProcessLife } from '../pool/process/process-life.ts';
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
const name = 'decoder process';
/** A process that reads strangers' bytes need not know the passwords of the database and of Redis. */
const seenVariables = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'SystemRoot', 'NODE_OPTIONS'];

export function startDecoder(options: DecoderOptions, events: ProcessEvents<DecoderEnd>): DecoderProcess {
  const { limits, voiceGraphPath, memoryReportMs } = options;
  const decodings = new Map<number, RemoteDecoding>();
  let answered = 0;
  let rssBytes = 0;
  let lastTurn: number | undefined;
  const life = createProcessLife<'suspect'>({
    name,
    startTimeoutMs: options.startTimeoutMs,
    silenceTimeoutMs: options.silenceTimeoutMs,
    silenceBlame: 'suspect',
    hasWork: () => decodings.size > 0,
    terminate: () => child.kill(),
  });
  const child = forkProcess<ToDecoder, FromDecoder>(
    {
      entry: new URL('./process/decoder.ts', import.meta.url),
      name,
      // Whatever a file or frame costs, what was decoded already is recognised meanwhile.
      niceness: 10,
      flags: [`--max-old-space-size=${heapMegabytes}`],
      sees: seenVariables,
    },
    { message: receive, exit: end },
  );
  child.send({ type: 'start', voiceGraphPath, limits, memoryReportMs });

  return {
    pid: child.pid,
    ended: life.ended,
    decodings,
    rssBytes: () => rssBytes,
    takesJobs: life.isReady,
    isLarge: () => rssBytes > limits.memoryBytes,
    open(decoding) {
      decodings.set(decoding.id, decoding);
      life.expect();
      decoding.attach(child.send);
    },
    forget(decoding) {
      decodings.delete(decoding.id);
      life.expect();
      replaceIfLarge();
    },
    stop: () => life.kill({ cause: new Error('The decoder process was shut down.'), planned: true }),
  };

  function receive(message: FromDecoder): void {
    life.expect();
    switch (message.type) {
      case 'ready':
        rssBytes = message.rssBytes;
        if (life.begin()) events.ready();
        break;
      case 'start_failed':
        life.kill({ cause: unpackError(message.error) });
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
    if (verdict() === 'kill') life.kill({ cause: tooLarge(), blame: 'suspect' });
    else replaceIfLarge();
  }

  function replaceIfLarge(): void {
    if (verdict() === 'fine' || !life.isReady() || decodings.size > 0) return;
    life.kill({ cause: tooLarge(), planned: true });
  }

  function verdict(): ReturnType<typeof judgeMemory> {
    return judgeMemory({ rssBytes, limitBytes: limits.memoryBytes, hasWorked: answered > 0 });
  }

  function tooLarge(): Error {
    return memoryExceeded(name, rssBytes, limits.memoryBytes);
  }

  function end(exit: Error): void {
    const unfinished = [...decodings.values()];
    const suspect = lastTurn === undefined ? undefined : decodings.get(lastTurn);
    decodings.clear();
    const { cause, planned = false, blame } = life.end(exit);
    const certain = blame === 'suspect';
    events.ended({ cause, planned, certain, suspect, wasReady: life.wasReady(), answered, unfinished });
  }
}
