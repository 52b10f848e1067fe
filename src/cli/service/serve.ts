import { type Command, parseCommandLine, refuseArguments } from '../command.ts';
import { runService } from './run-service.ts';
import { runWorker } from './run-worker.ts';

export const serve: Command = (args, context) => {
  const { values, positionals } = parseCommandLine(args, { role: { type: 'string' } });
  refuseArguments(positionals);
  const role = values.role === undefined ? {} : { SIANN_ROLE: values.role };
  const inRole = { ...context, loadConfig: () => context.loadConfig(role) };
  return inRole.loadConfig().role === 'worker' ? runWorker(inRole) : runService(inRole);
};
