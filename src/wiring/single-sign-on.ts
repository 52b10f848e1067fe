import type { Environment } from '../../wire/account.ts';
import type { ConsoleOptions } from '../http/console/create-console.ts';
import { createIdentityProvider } from '../http/console/single-sign-on/identity-provider.ts';
import { callbackPath } from '../http/console/single-sign-on/single-sign-on-routes.ts';
import type { ServiceLog } from '../operations/service-log.ts';
import type { Config } from '../settings/config.ts';
import type { Seal } from '../storage/seal.ts';

type Parts = { seal: Seal | undefined; log: ServiceLog; addresses: Record<Environment, string> };

/** Signing in with the identity provider of the settings, if they name one. */
export function singleSignOnOf(
  config: Config,
  { seal, log, addresses }: Parts,
): ConsoleOptions['singleSignOn'] {
  const { oidcIssuer, oidcClientId } = config;
  if (oidcIssuer === undefined || oidcClientId === undefined || !seal) return undefined;
  return {
    provider: createIdentityProvider({
      issuer: oidcIssuer,
      clientId: oidcClientId,
      clientSecret: config.oidcClientSecret,
      clientAuthentication: config.oidcClientAuthentication,
      redirectUrl: config.oidcRedirectUrl ?? new URL(callbackPath, addresses.live).href,
      scopes: config.oidcScopes,
    }),
    rules: {
      claim: config.oidcRoleClaim,
      roles: config.oidcRoles,
      defaultRole: config.oidcDefaultRole === 'none' ? undefined : config.oidcDefaultRole,
    },
    seal,
    log,
  };
}
