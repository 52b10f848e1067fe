import type { CarriedError } from './carried-error.ts';

/** Everything that crosses the process boundary: plain data and typed arrays, a job always named by its id. */
export type ToChild<Settings = unknown, Job = unknown> =
  | { type: 'start'; moduleUrl: string; settings: Settings; memoryReportMs: number }
  | { type: 'run'; id: number; job: Job }
  | { type: 'cancel'; id: number };

export type FromChild<Result = unknown> =
  | { type: 'ready'; rssBytes: number }
  | { type: 'start_failed'; error: CarriedError }
  | { type: 'memory'; rssBytes: number }
  | { type: 'done'; id: number; rssBytes: number; result: Result }
  | { type: 'failed'; id: number; rssBytes: number; error: CarriedError };
