import type { WindowJob, WindowResult } from '../windows/window-messages.ts';
import type { ContextFrames } from './features/context-frames.ts';

/** A window that somebody waits for. */
export type WindowRequest = {
  job: WindowJob;
  context: ContextFrames;
  /** An earlier try of the window went wrong. */
  isRetry: boolean;
  signal: AbortSignal;
  resolve: (result: WindowResult) => void;
  reject: (reason: unknown) => void;
};
