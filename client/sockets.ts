import { errorOfAnswer } from './errors.ts';
import { connectionFailed, type SendRequest } from './requests.ts';

/** The part that the browser's WebSocket and the package `ws` have in common. */
type WebSocketLike = {
  binaryType: string;
  readonly readyState: number;
  readonly bufferedAmount: number;
  send(data: string | Uint8Array<ArrayBuffer>): void;
  close(code?: number, reason?: string): void;
  onopen: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  onerror: ((event: never) => void) | null;
};

/** The browser's constructor, or `ws`, whose third argument takes headers. */
export type WebSocketConstructor = new (
  url: string,
  protocols?: string[],
  options?: { headers: Record<string, string> },
) => WebSocketLike;

/** An open socket, and the messages that came before anybody listened. */
export type OpenedSocket = { socket: WebSocketLike; early: unknown[] };

export type OpenSocket = (query: URLSearchParams) => Promise<OpenedSocket>;

type SocketsOptions = {
  baseUrl: string;
  headers: Readonly<Record<string, string>>;
  send: SendRequest;
  WebSocket: WebSocketConstructor | undefined;
  /** Another way to get a one-use token than asking the service with the key. */
  token: (() => Promise<string>) | undefined;
};

/** In Node.js, the key goes in a header. A browser cannot set headers, so it uses a token that is good for one connection. */
export function createSockets({ baseUrl, headers, send, WebSocket, token }: SocketsOptions): OpenSocket {
  const address = `${baseUrl.replace(/^http/, 'ws')}/speech/realtime`;
  const inNode = typeof process !== 'undefined' && process.versions?.node !== undefined;
  const askForToken = async () => {
    const response = await send('/speech/realtime/tokens', { method: 'POST' });
    return ((await response.json()) as { token: string }).token;
  };

  return async (query) => {
    const parameters = new URLSearchParams(query);
    if (inNode && !token) {
      const Constructor = WebSocket ?? (await importWs());
      return opened(new Constructor(`${address}?${parameters}`, [], { headers: { ...headers } }), baseUrl);
    }
    parameters.set('token', await (token ?? askForToken)());
    const Constructor = WebSocket ?? (globalThis.WebSocket as unknown as WebSocketConstructor);
    return opened(new Constructor(`${address}?${parameters}`), baseUrl);
  };
}

async function importWs(): Promise<WebSocketConstructor> {
  // With the name in a variable, bundlers for browsers do not look for the package.
  const name = 'ws';
  const { default: WebSocket } = await import(name).catch((cause) => {
    throw new Error(
      'Live captions in Node need the package ws. Run `npm install ws`, or pass WebSocket to new Siann.',
      { cause },
    );
  });
  return WebSocket;
}

function opened(socket: WebSocketLike, baseUrl: string): Promise<OpenedSocket> {
  const early: unknown[] = [];
  socket.binaryType = 'arraybuffer';
  socket.onmessage = ({ data }: { data: unknown }) => early.push(data);
  return new Promise((resolve, reject) => {
    socket.onopen = () => resolve({ socket, early });
    socket.onerror = (event: { error?: unknown; message?: string }) =>
      reject(connectionFailed(baseUrl, event.error ?? event.message ?? 'the connection was refused'));
    socket.onclose = (event: { code: number }) =>
      reject(connectionFailed(baseUrl, `closed with code ${event.code}`));
    // Only `ws` can read the answer to a refused upgrade.
    if ('once' in socket) (socket as WebSocketLike & RefusalEmitter).once('unexpected-response', refused);

    function refused(_request: unknown, response: Refusal): void {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        body += text;
      });
      response.on('end', () => {
        const header = (name: string) => {
          const value = response.headers[name];
          return Array.isArray(value) ? value[0] : value;
        };
        reject(errorOfAnswer(response.statusCode ?? 0, body, header));
        socket.close();
      });
    }
  });
}

type Refusal = {
  statusCode?: number;
  headers: Record<string, string | string[] | undefined>;
  setEncoding(encoding: 'utf8'): void;
  on(event: 'data' | 'end', listener: (text: string) => void): void;
};
type RefusalEmitter = {
  once(event: 'unexpected-response', listener: (request: unknown, response: Refusal) => void): void;
};
