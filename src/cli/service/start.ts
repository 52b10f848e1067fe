import type { Environment } from '../../../wire/account.ts';
import type { Service } from '../../wiring/create-service.ts';
import { type Command, parseCommandLine, refuseArguments } from '../command.ts';
import { runService } from './run-service.ts';
import { type Keys, welcome } from './welcome.ts';

export const start: Command = (args, context) => {
  refuseArguments(parseCommandLine(args, {}).positionals);
  return runService(context, async (service) => {
    const keys = await firstKeys(service);
    const hasConsole = context.loadConfig().consoleNetworks !== undefined;
    const needsLink = hasConsole && (await service.users.list()).length === 0;
    const link = needsLink ? await service.signIn.createLink() : undefined;
    context.stdout.write(welcome({ service, keys, link, hasConsole }));
  });
};

/** The first start makes an account, a project and a key for each environment. Later starts make nothing. */
async function firstKeys({ accounts }: Service): Promise<Keys | undefined> {
  const project = await accounts.createFirst();
  if (!project) return undefined;
  const make = async (environment: Environment) =>
    (await accounts.keys.create({ project: project.id, environment, name: 'first' })).key;
  return { live: await make('live'), test: await make('test') };
}
