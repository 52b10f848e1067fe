import { WebSocket } from 'ws';
import { Siann, SiannError } from '../../../client/siann.ts';

type ServiceClientOptions = {
  /** The base address, with https or wss. */
  url: string;
  key: string;
  /** The authorities to trust (PEM). Undefined means those that this machine trusts. */
  ca: string | undefined;
};

/** The public client, set up for somebody at a terminal: when the first connection fails, it says so at once. */
export function createServiceClient({ url, key, ca }: ServiceClientOptions): Siann {
  class TrustingSocket extends WebSocket {
    constructor(address: string, protocols?: string[], options?: { headers: Record<string, string> }) {
      super(address, protocols, {
        ...options,
        perMessageDeflate: false,
        handshakeTimeout: 15_000,
        ...(ca !== undefined && { ca }),
      });
    }
  }
  return new Siann({ apiKey: key, baseUrl: url, maxRetries: 0, WebSocket: TrustingSocket });
}

/** An error of the connection, as a sentence that tells somebody at a terminal what to do. */
export function serviceFailure(error: unknown, url: string): unknown {
  if (!(error instanceof SiannError)) return error;
  if (error.code === 'connection_failed') return connectionFailure(error, url);
  if (error.code !== `http_${error.status}`) return error;
  return new Error(
    `${url} answered with status ${error.status}. Check that it is the address of a Siann service, ending in /v1.`,
    { cause: error },
  );
}

function connectionFailure(error: SiannError, url: string): Error {
  const cause = error.cause as NodeJS.ErrnoException | undefined;
  const code = cause?.code ?? '';
  const failure = (message: string) => new Error(message, { cause: error });
  if (code === 'ECONNREFUSED' || cause instanceof AggregateError)
    return failure(
      `Nothing listens at ${url}. Start the service with \`npm start\`, or name another with --url.`,
    );
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return failure(`There is no machine of the name in ${url}. Check --url.`);
  if (/CERT|SELF_SIGNED|UNABLE_TO_/.test(code))
    return failure(`The certificate of ${url} is not trusted. Name the file of its authority with --ca.`);
  return failure(`${url} cannot be reached: ${cause?.message ?? error.message}`);
}
