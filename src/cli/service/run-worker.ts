import { createWorkerService } from '../../wiring/create-worker-service.ts';
import type { CommandContext } from '../command.ts';
import { runUntilStopped } from './run-until-stopped.ts';

/** Works until it is told to stop, and finishes what it has taken then, or hands it back. */
export function runWorker(context: CommandContext): Promise<number> {
  return runUntilStopped({
    context,
    start: createWorkerService,
    steps: (worker) => [{ title: 'starting recognition', fraction: 0.9, work: worker.ready }],
  });
}
