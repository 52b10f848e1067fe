import type { WindowJob } from '../../src/speech/windows/window-messages.ts';

/** Every field something that would be missed. */
export const aWindow: WindowJob = {
  audio: Float32Array.from({ length: 48_001 }, (_, index) => Math.sin(index / 7) * Math.sin(index / 3000)),
  speech: [{ startSeconds: 0.5, endSeconds: 2.5 } as never],
  language: 'mixed',
  promptTokens: [1, 50_000],
  temperature: 0.2,
  words: true,
  context: 'short',
  urgency: 'interactive',
  mayRetry: true,
  draft: [3, 4],
};
