import { createService, type Service } from '../../wiring/create-service.ts';
import type { CommandContext } from '../command.ts';
import { runUntilStopped } from './run-until-stopped.ts';

/** Answers requests until it is told to stop, and then lets running requests finish. */
export function runService(
  context: CommandContext,
  onReady: (service: Service) => Promise<void> = async () => {},
): Promise<number> {
  return runUntilStopped({
    context,
    async start(options) {
      const service = await createService({ ...options, createRecogniser: context.createRecogniser });
      context.onReload(() => void service.reloadCertificate());
      return service;
    },
    steps: ({ recogniser, prepareConsole }) => [
      { title: 'starting recognition', fraction: 0.9, work: () => recogniser.ready() },
      { title: 'building the console', fraction: 0.97, work: prepareConsole },
    ],
    onReady,
  });
}
