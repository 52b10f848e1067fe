import { createWorkerService } from '../../wiring/create-worker-service.ts';
import type { CommandContext } from '../command.ts';
import { runUntilStopped } from './run-until-stopped.ts';

/** Recognises until it is told to stop. Then it finishes the windows that it has taken, or hands them back. */
export function runWorker(context: CommandContext): Promise<number> {
  return runUntilStopped({
    context,
    start: createWorkerService,
    steps: (worker) => [{ title: 'starting recognition', fraction: 0.9, work: worker.ready }],
  });
}
