import { generateKeyPairSync, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import Provider from 'oidc-provider';

/** Somebody whom the provider knows. */
export type Person = { id: string; name?: string; groups?: unknown };

export type TestIdentityProvider = AsyncDisposable & {
  issuer: string;
  clientSecret: string;
  /** To be called when it is known where browsers come back to. */
  serve(redirectUrl: string): void;
  /** Whoever comes to sign in is this person. */
  person: Person;
  /** What becomes of ID tokens on their way out. By default nothing. */
  alter:
    | ((claims: Record<string, unknown>) => { claims: Record<string, unknown>; forge?: boolean })
    | undefined;
};

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const forgedKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;

/** A real OpenID Connect provider, on this machine. */
export async function startIdentityProvider(): Promise<TestIdentityProvider> {
  let handle = (_request: IncomingMessage, response: ServerResponse) => void response.writeHead(503).end();
  const server = createServer((request, response) => handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  const clientSecret = 'a secret of the client, and a long one';

  const running: TestIdentityProvider = {
    issuer,
    clientSecret,
    person: { id: 'mei' },
    alter: undefined,
    serve(redirectUrl) {
      const provider = createProvider(redirectUrl);
      const callback = provider.callback();
      handle = (request, response) => {
        if (request.url?.startsWith('/interaction/')) return void finish(provider, request, response);
        if (request.url === '/token') alterTokens(response);
        return void callback(request, response);
      };
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  function createProvider(redirectUrl: string): Provider {
    return new Provider(issuer, {
      clients: [{ client_id: 'siann', client_secret: clientSecret, redirect_uris: [redirectUrl] }],
      jwks: {
        keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'k' } as never],
      },
      cookies: { keys: ['only for this test'] },
      claims: { openid: ['sub'], profile: ['preferred_username', 'groups'] },
      conformIdTokenClaims: false,
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
      pkce: { required: () => true },
      findAccount: (_context, id) => ({
        accountId: id,
        claims: async () => ({
          sub: id,
          preferred_username: running.person.name ?? id,
          ...(running.person.groups !== undefined && { groups: running.person.groups }),
        }),
      }),
      // Nobody is asked for consent.
      async loadExistingGrant(context) {
        const grant = new context.oidc.provider.Grant({
          clientId: context.oidc.client!.clientId,
          accountId: context.oidc.session!.accountId!,
        });
        grant.addOIDCScope('openid profile email');
        await grant.save();
        return grant;
      },
    });
  }

  /** The page on which somebody would write a password. */
  async function finish(
    provider: Provider,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    await provider.interactionFinished(request, response, { login: { accountId: running.person.id } });
  }

  function alterTokens(response: ServerResponse): void {
    const end = response.end.bind(response);
    response.end = ((body: string | Buffer) => {
      const { alter } = running;
      if (!alter || response.statusCode !== 200) return end(body);
      const answer = JSON.parse(String(body));
      const [head = '', payload = ''] = answer.id_token.split('.');
      const { claims, forge } = alter(JSON.parse(Buffer.from(payload, 'base64url').toString()));
      const text = `${head}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
      const signature = sign('sha256', Buffer.from(text), forge ? forgedKey : privateKey).toString(
        'base64url',
      );
      const altered = JSON.stringify({ ...answer, id_token: `${text}.${signature}` });
      response.setHeader('content-length', Buffer.byteLength(altered));
      return end(altered);
    }) as typeof response.end;
  }

  return running;
}
