import { WebSocket } from 'ws';
import type { SessionEvent } from '../realtime/session-events.ts';

export type StreamConnection = {
  send(message: Uint8Array | { type: string }): void;
  closed: Promise<{ code: number }>;
  terminate(): void;
};

export type ConnectOptions = {
  /** The base address, with https or wss. */
  url: string;
  key: string;
  query: Record<string, string>;
  /** What to trust besides what this machine trusts already. */
  ca: string | undefined;
  onEvent(event: SessionEvent): void;
};

/** Connects to a service; rejects with a sentence for whoever asked for it. */
export function connectToStream(options: ConnectOptions): Promise<StreamConnection> {
  const { url, key, query, ca, onEvent } = options;
  const address = new URL(`${url.replace(/\/$/, '')}/speech/realtime`);
  address.protocol = address.protocol === 'http:' || address.protocol === 'ws:' ? 'ws:' : 'wss:';
  address.search = new URLSearchParams(query).toString();
  const socket = new WebSocket(address, {
    headers: { authorization: `Bearer ${key}` },
    perMessageDeflate: false,
    handshakeTimeout: 15_000,
    ...(ca !== undefined && { ca }),
  });
  const closed = new Promise<{ code: number }>((resolve) => {
    socket.on('close', (code) => resolve({ code }));
  });
  socket.on('message', (data) => onEvent(JSON.parse(String(data))));

  return new Promise((resolve, reject) => {
    socket.on('error', (error: NodeJS.ErrnoException) => reject(connectionFailure(error, url)));
    socket.on('unexpected-response', (_request, response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => {
        socket.terminate();
        reject(new Error(refusalSentence(text, response.statusCode ?? 0, url)));
      });
    });
    socket.on('open', () =>
      resolve({
        send: (message) => socket.send(message instanceof Uint8Array ? message : JSON.stringify(message)),
        closed,
        terminate: () => socket.terminate(),
      }),
    );
  });
}

function connectionFailure(error: NodeJS.ErrnoException, url: string): Error {
  const { code = '' } = error;
  if (code === 'ECONNREFUSED' || (error as { errors?: unknown }).errors !== undefined) {
    return new Error(
      `Nothing listens at ${url}. Start the service with \`npm start\`, or name another with --url.`,
    );
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return new Error(`There is no machine of the name in ${url}. Check --url.`);
  }
  if (/CERT|SELF_SIGNED|UNABLE_TO_/.test(code)) {
    return new Error(`The certificate of ${url} is not trusted. Name the file of its authority with --ca.`);
  }
  return new Error(`${url} cannot be reached: ${error.message}`, { cause: error });
}

function refusalSentence(body: string, status: number, url: string): string {
  try {
    return JSON.parse(body).error.message;
  } catch {
    return `${url} answered with status ${status}. Check that it is the address of a Siann service, ending in /v1.`;
  }
}
