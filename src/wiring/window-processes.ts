import { availableParallelism, totalmem } from 'node:os';
import { modelPackage } from '../model/catalogue.ts';
import type { PreparedModel } from '../model/prepare-model.ts';
import { createLocalDispatcher, type LocalDispatcher } from '../pool/local-dispatcher.ts';
import type { PoolLog } from '../pool/process-pool.ts';
import { slotsByPriority } from '../pool/queue/slot-shares.ts';
import type { Config } from '../settings/config.ts';
import type { ArrivedWindow, WindowJobSettings, WindowResult } from '../speech/windows/window-messages.ts';

/** Windows that are decoded side by side in one process. More of them use the bandwidth of memory better, and take more memory. */
const fileSlotsPerProcess = 5;
/** One more slot is kept for streams. */
const shares = { slots: fileSlotsPerProcess + 1, interactiveSlots: 1, realtimeSlots: 1 };
/** Two threads answer a short file sooner than one. More than two mostly wait for one another. */
const threadsPerProcess = 2;

/** How many windows of a priority and below it one process takes at once. */
export const slotsFor = slotsByPriority(shares);

export type PoolSize = { processes: number; threads: number };

/** The inference processes of this machine. They load the model while the rest is put together. */
export function startWindowProcesses(
  config: Pick<Config, 'memoryLimitMegabytes'>,
  model: PreparedModel,
  { processes, threads }: PoolSize,
  log?: PoolLog,
): LocalDispatcher<ArrivedWindow, WindowResult> {
  return createLocalDispatcher<WindowJobSettings, ArrivedWindow, WindowResult>({
    moduleUrl: new URL('../speech/inference/window-job.ts', import.meta.url),
    settings: { ...model, threads, slots: shares.slots },
    processes,
    ...shares,
    memoryLimitBytes: config.memoryLimitMegabytes * 1e6,
    ...(log && { log }),
  });
}

/** Windows of one recording that are worth having under way on this machine. */
export function windowsAtOnceHere({ processes }: PoolSize): number {
  return processes * fileSlotsPerProcess;
}

/** As many processes as the cores can keep busy, and as fit into half of the memory. */
export function sizePool(config: Pick<Config, 'model' | 'processes' | 'threads'>): PoolSize {
  const cores = availableParallelism();
  const fitting = Math.floor(totalmem() / 2 / modelPackage(config.model).memoryBytes);
  const processes = config.processes || Math.max(1, Math.min(fitting, Math.floor(cores / threadsPerProcess)));
  const threads = config.threads || Math.max(1, Math.min(threadsPerProcess, Math.floor(cores / processes)));
  return { processes, threads };
}
