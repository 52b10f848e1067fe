import type { FastifyInstance } from 'fastify';
import type { Environment } from '../../../wire/account.ts';
import { createPlaygroundKeys } from '../../accounts/keys/playground-keys.ts';
import type { Accounts } from '../../accounts/projects/accounts.ts';
import type { Plans } from '../../accounts/projects/plans.ts';
import { createSignIn, type SignIn } from '../../accounts/sign-in/sign-in.ts';
import { createUsageReport } from '../../accounts/usage/usage-report.ts';
import type { Counters } from '../../storage/counters.ts';
import type { Database } from '../../storage/database.ts';
import { createConsoleFiles } from './console-files.ts';
import { consoleRoutes } from './console-routes.ts';
import type { ServiceFigures } from './service-figures.ts';

export type Console = {
  signIn: SignIn;
  /** Builds the files. Otherwise they are built for the first browser, which waits. */
  prepare(): Promise<void>;
  routes(app: FastifyInstance): Promise<void>;
};

export type ConsoleOptions = {
  database: Database;
  counters: Counters;
  accounts: Accounts;
  plans: Plans;
  figures: ServiceFigures;
  addresses: Record<Environment, string>;
};

export function createConsole(options: ConsoleOptions): Console {
  const { database, counters, accounts, plans, figures, addresses } = options;
  const signIn = createSignIn({ database, counters });
  const files = createConsoleFiles();
  const readUsage = createUsageReport({ database, accounts, plans });
  const playgroundKeys = createPlaygroundKeys({ database, projects: accounts.projects });
  return {
    signIn,
    prepare: async () => void (await files.all()),
    routes: (app) =>
      consoleRoutes(app, {
        files,
        signIn: { signIn, plans, addresses },
        projects: { accounts, readUsage, playgroundKeys },
        figures,
      }),
  };
}
