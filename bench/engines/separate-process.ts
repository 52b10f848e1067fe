import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Engine, EngineName, EngineOptions, TranscribeOptions, Transcription } from './engine.ts';

export type Request = { id: number; file: string; options: TranscribeOptions };
export type Reply = { id: number; transcription: Transcription } | { id: number; error: string };

/** An engine in a process of its own, so that its memory and its start can be told apart from the benchmark's. */
export function openInSeparateProcess(name: EngineName, options: EngineOptions): Engine {
  const entry = fileURLToPath(new URL('./engine-process.ts', import.meta.url));
  const child = fork(entry, [name, JSON.stringify(options)], { execArgv: ['--import', 'tsx'] });
  const waiting = new Map<number, PromiseWithResolvers>();
  let requests = 0;

  child.on('message', (reply: Reply) => {
    const request = waiting.get(reply.id);
    waiting.delete(reply.id);
    if ('error' in reply) request?.reject(new Error(`${name}: ${reply.error}`));
    else request?.resolve(reply.transcription);
  });
  child.once('exit', () => {
    for (const request of waiting.values()) request.reject(new Error(`${name} ended`));
  });

  return {
    name,
    transcribe(file, options = {}) {
      requests += 1;
      const id = requests;
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        child.send({ id, file, options } satisfies Request);
      });
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    },
  };
}

type PromiseWithResolvers = { resolve(transcription: Transcription): void; reject(error: Error): void };
