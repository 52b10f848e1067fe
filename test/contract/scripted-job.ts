/** A job module whose jobs say what to do, so that a test can make any dispatcher's worker behave or misbehave. */
import { existsSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { ErrorCode } from '../../src/errors/catalogue.ts';
import { ServiceError } from '../../src/errors/service-error.ts';
import type { JobRunner } from '../../src/pool/process/job-runner.ts';

export type ScriptedJob = {
  echo?: string | number;
  sum?: Float32Array;
  /** Leaves this file behind when it begins. */
  beginsFile?: string;
  /** Waits until this file exists. */
  untilExists?: string;
  sleepMs?: number;
  /** Goes on waiting when it is cancelled. */
  deaf?: boolean;
  fail?: { message: string; code?: ErrorCode };
};

export type ScriptedResult = {
  echo?: string | number;
  sum?: number;
  pcm?: Float32Array;
  bufferBytes?: number;
  pid: number;
};

export async function createJobRunner(): Promise<JobRunner<ScriptedJob, ScriptedResult>> {
  return { run: runScripted };
}

export async function runScripted(job: ScriptedJob, signal: AbortSignal): Promise<ScriptedResult> {
  const options = job.deaf ? {} : { signal };
  if (job.beginsFile) writeFileSync(job.beginsFile, '');
  while (job.untilExists && !existsSync(job.untilExists)) await delay(5, undefined, options);
  if (job.sleepMs !== undefined) await delay(job.sleepMs, undefined, options);
  if (job.fail?.code) throw new ServiceError(job.fail.code, { message: job.fail.message });
  if (job.fail) throw new RangeError(job.fail.message, { cause: new Error('the deeper reason') });
  const result: ScriptedResult = { pid: process.pid };
  if (job.echo !== undefined) result.echo = job.echo;
  if (job.sum) {
    result.sum = job.sum.reduce((total, sample) => total + sample, 0);
    result.pcm = job.sum;
    result.bufferBytes = job.sum.buffer.byteLength;
  }
  return result;
}
