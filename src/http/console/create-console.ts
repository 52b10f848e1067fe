import type { FastifyInstance } from 'fastify';
import type { Environment } from '../../../wire/account.ts';
import { type Actor, createAuditReader } from '../../accounts/audit/audit-log.ts';
import type { AuditedAccounts } from '../../accounts/audit/audited-accounts.ts';
import { createAddressCheck } from '../../accounts/keys/allow-list.ts';
import { createPlaygroundKeys } from '../../accounts/keys/playground-keys.ts';
import type { Accounts } from '../../accounts/projects/accounts.ts';
import type { Plans } from '../../accounts/projects/plans.ts';
import { type ConsoleUsers, createConsoleUsers } from '../../accounts/sign-in/console-users.ts';
import { createSignIn, type SignIn } from '../../accounts/sign-in/sign-in.ts';
import { createUsageReport } from '../../accounts/usage/usage-report.ts';
import type { Counters } from '../../storage/counters.ts';
import type { Database } from '../../storage/database.ts';
import { createConsoleFiles } from './console-files.ts';
import { consoleRoutes } from './console-routes.ts';
import type { ServiceFigures } from './service-figures.ts';
import type { SingleSignOn } from './single-sign-on/single-sign-on-routes.ts';

export type Console = {
  signIn: SignIn;
  users: ConsoleUsers;
  /** Builds the files. Otherwise they are built for the first browser, which waits. */
  prepare(): Promise<void>;
  routes(app: FastifyInstance): Promise<void>;
};

export type ConsoleOptions = {
  database: Database;
  counters: Counters;
  accounts: Accounts;
  accountsFor(actor: Actor): AuditedAccounts;
  plans: Plans;
  figures: ServiceFigures;
  addresses: Record<Environment, string>;
  /** From where the console may be used. Undefined turns it off, and an empty list lets everybody in. */
  networks: readonly string[] | undefined;
  /** How people sign in with an identity provider, if one is set. */
  singleSignOn?: Pick<SingleSignOn, 'provider' | 'rules' | 'seal' | 'log'> | undefined;
};

export function createConsole(options: ConsoleOptions): Console {
  const { database, counters, accounts, accountsFor, plans, figures, addresses, networks } = options;
  const signIn = createSignIn({ database, counters });
  const users = createConsoleUsers({ database });
  const files = createConsoleFiles();
  const readUsage = createUsageReport({ database, accounts, plans });
  const playgroundKeys = createPlaygroundKeys({ database, projects: accounts.projects });
  return {
    signIn,
    users,
    prepare: async () => void (networks && (await files.all())),
    routes: async (app) => {
      if (!networks) return;
      await consoleRoutes(app, {
        files,
        allowsAddress: createAddressCheck(networks),
        signIn: { signIn, plans, addresses, offersSingleSignOn: options.singleSignOn !== undefined },
        singleSignOn: options.singleSignOn && { ...options.singleSignOn, counters, signIn },
        projects: {
          accounts,
          accountsFor,
          readUsage,
          playgroundKeys,
        },
        users: { users, signIn },
        audit: { readAuditLog: createAuditReader({ database }) },
        figures,
      });
    },
  };
}
