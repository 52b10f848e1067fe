import type { CommandContext } from '../../src/cli/command.ts';
import { ServiceError } from '../../src/errors/service-error.ts';
import { type Config, loadConfig } from '../../src/settings/config.ts';
import type { Recogniser } from '../../src/speech/recogniser.ts';
import type { TranscribeOptions } from '../../src/speech/transcribe.ts';
import type { Segment } from '../../src/speech/transcript/segment.ts';
import { segment } from '../support/segment.ts';

export type ScriptedContext = CommandContext & {
  printed: () => string;
  complained: () => string;
  asked: TranscribeOptions[];
  disposed: () => boolean;
};

export type Script = {
  stdin?: string;
  terminal?: boolean;
  signal?: AbortSignal;
  env?: Record<string, string>;
};

/** A command's context in memory. Its recogniser returns the words that the bytes spell; `noise` is not audio. */
export function scriptedContext(script: Script = {}): ScriptedContext {
  const [out, err]: [string[], string[]] = [[], []];
  const asked: TranscribeOptions[] = [];
  let disposed = false;

  const recogniser: Recogniser = {
    async *transcribe(bytes, options) {
      asked.push(options);
      const chunks: Uint8Array[] = [];
      for await (const chunk of bytes) {
        chunks.push(chunk);
        options.signal?.throwIfAborted();
      }
      const text = Buffer.concat(chunks).toString('utf8').trim();
      if (text === 'noise') throw new ServiceError('invalid_file_format');
      if (text === 'forever') await untilAborted(options.signal);
      for (const [id, words] of text.split('|').entries()) {
        options.onProgress?.({ decodedSeconds: id + 1, doneSeconds: id + 1 });
        yield spokenWord(id, words);
      }
      return { durationSeconds: text.split('|').length };
    },
    ready: async () => {},
    load: () => ({ processes: 1, busySlots: 0, queued: 0, restarts: 0, rssBytes: 0 }),
    async [Symbol.asyncDispose]() {
      disposed = true;
    },
  };

  return {
    stdin: Object.assign(bytesOf(script.stdin ?? ''), { isTTY: script.terminal ?? false }),
    stdout: { write: (text) => out.push(text), isTTY: script.terminal ?? false },
    stderr: { write: (text) => err.push(text), isTTY: script.terminal ?? false, columns: 60 },
    signal: script.signal ?? new AbortController().signal,
    loadConfig: (overrides): Config => loadConfig({ ...script.env, ...overrides }),
    createRecogniser: async ({ onPrepare }) => {
      onPrepare?.({ step: 'Reading the weights', fraction: 0.5 });
      return recogniser;
    },
    onReload: () => {},
    printed: () => out.join(''),
    complained: () => err.join(''),
    asked,
    disposed: () => disposed,
  };
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** A segment whose text is one word. */
function spokenWord(id: number, text: string): Segment {
  const language = /\p{Script=Han}/u.test(text) ? 'zh' : 'en';
  const words = [{ text, startSeconds: id, endSeconds: id + 1, probability: 1 }];
  return segment({ id, text, language, words });
}
