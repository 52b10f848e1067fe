import type { Configuration } from 'openid-client';

export type IdentityProviderOptions = {
  issuer: string;
  clientId: string;
  /** Without it, the client is a public one, which PKCE alone protects. */
  clientSecret: string | undefined;
  /** How the client shows that it knows its secret. */
  clientAuthentication: 'basic' | 'post';
  redirectUrl: string;
  /** With spaces between them. */
  scopes: string;
};

/** What has to be remembered while somebody is at the provider. */
export type SignOnFlow = { state: string; nonce: string; verifier: string };

/** What the provider says about somebody, in an ID token that was checked. */
export type Claims = { iss: string; sub: string } & Record<string, unknown>;

export interface IdentityProvider {
  /** Where the browser is sent. */
  begin(): Promise<{ address: string; flow: SignOnFlow }>;
  /** Checks what the browser brought back, and the ID token for it. Throws when anything is not as it should be. */
  finish(query: string, flow: SignOnFlow): Promise<Claims>;
}

const timeoutSeconds = 10;

/** An OpenID Connect provider: authorization code with PKCE (RFC 7636), state and nonce, and a signed ID token. */
export function createIdentityProvider(options: IdentityProviderOptions): IdentityProvider {
  const { issuer, clientId, clientSecret, redirectUrl, scopes } = options;
  let configuration: Promise<Configuration> | undefined;

  // Loaded when somebody signs on, which most installations never need.
  const load = () => import('openid-client');
  const discover = async (): Promise<Configuration> => {
    const client = await load();
    const proof =
      options.clientAuthentication === 'post' ? client.ClientSecretPost : client.ClientSecretBasic;
    const isPlain = new URL(issuer).protocol === 'http:';
    return client.discovery(
      new URL(issuer),
      clientId,
      undefined,
      clientSecret === undefined ? client.None() : proof(clientSecret),
      {
        timeout: timeoutSeconds,
        // The signature of the ID token is checked too, not only the connection that it came over. Plain HTTP is for this
        // machine alone, which the settings check.
        execute: [client.enableNonRepudiationChecks, ...(isPlain ? [client.allowInsecureRequests] : [])],
      },
    );
  };
  const configured = () => {
    configuration ??= discover();
    // After a failure it is tried again, for the next who comes.
    configuration.catch(() => {
      configuration = undefined;
    });
    return configuration;
  };

  return {
    async begin() {
      const [client, config] = [await load(), await configured()];
      const flow = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
      };
      const address = client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUrl,
        scope: scopes,
        state: flow.state,
        nonce: flow.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(flow.verifier),
        code_challenge_method: 'S256',
      });
      return { address: address.href, flow };
    },
    async finish(query, { state, nonce, verifier }) {
      const [client, config] = [await load(), await configured()];
      const arrived = new URL(redirectUrl);
      arrived.search = query;
      const tokens = await client.authorizationCodeGrant(config, arrived, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      return tokens.claims()!;
    },
  };
}
