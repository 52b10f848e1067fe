import { type Command, parseCommandLine, refuseArguments } from './command.ts';
import { runService } from './run-service.ts';

export const serve: Command = (args, context) => {
  refuseArguments(parseCommandLine(args, {}).positionals);
  return runService(context);
};
