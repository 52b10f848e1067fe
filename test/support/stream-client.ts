import { WebSocket } from 'ws';
import type { Environment } from '../../wire/account.ts';
import type { SessionEvent, TranscriptEvent } from '../../wire/stream-events.ts';
import type { TestService } from './service.ts';

export type StreamClientOptions = {
  environment?: Environment;
  path?: string;
  headers?: Record<string, string>;
  protocols?: string[];
  /** Connect without the key of the service. */
  anonymous?: boolean;
};

// biome-ignore lint/suspicious/noExplicitAny: each dialect has messages of its own.
type Message = any;

export type StreamClient = AsyncDisposable & {
  socket: WebSocket;
  messages: Message[];
  send(message: object | string | Uint8Array): void;
  /** The first message for which it holds, of those to come and those there are. */
  until(isIt: (message: Message) => boolean): Promise<Message>;
  closed: Promise<{ code: number; reason: string }>;
  headers: Record<string, string | string[] | undefined>;
};

export type Refusal = {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Message;
};

/** Connects as a client would; rejects with a `Refusal` where the answer is not an upgrade. */
export async function connectStream(
  { ports, keys, ca }: Pick<TestService, 'ports' | 'keys' | 'ca'>,
  options: StreamClientOptions = {},
): Promise<StreamClient> {
  const { environment = 'live', path = '/v1/speech/realtime', protocols = [] } = options;
  const socket = new WebSocket(`wss://localhost:${ports[environment]}${path}`, protocols, {
    ca,
    headers: {
      ...(!options.anonymous && { authorization: `Bearer ${keys[environment]}` }),
      ...options.headers,
    },
  });
  const messages: Message[] = [];
  const waiters = new Set<() => void>();
  let isClosed = false;
  const changed = () => {
    for (const waiter of [...waiters]) waiter();
  };
  socket.on('message', (data) => {
    messages.push(JSON.parse(String(data)));
    changed();
  });
  let headers: StreamClient['headers'] = {};
  socket.on('upgrade', (response) => {
    headers = response.headers;
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => {
      isClosed = true;
      resolve({ code, reason: String(reason) });
      changed();
    });
  });
  await new Promise<void>((resolve, reject) => {
    socket.on('open', resolve);
    socket.on('error', reject);
    socket.on('unexpected-response', (_request, response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => {
        const { statusCode: status = 0, headers } = response;
        reject({ status, headers, body: text && JSON.parse(text) } satisfies Refusal);
      });
    });
  });

  return {
    socket,
    messages,
    closed,
    get headers() {
      return headers;
    },
    send: (message) =>
      socket.send(
        typeof message === 'string' || message instanceof Uint8Array ? message : JSON.stringify(message),
      ),
    until: (isIt) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = messages.find(isIt);
          if (found === undefined && !isClosed) return;
          waiters.delete(look);
          if (found !== undefined) resolve(found);
          else reject(new Error(`Closed after ${JSON.stringify(messages)}`));
        };
        waiters.add(look);
        look();
      }),
    async [Symbol.asyncDispose]() {
      socket.terminate();
      await closed;
    },
  };
}

/** Silence, as LINEAR16 at 16 kHz. */
export function silence(seconds: number): Uint8Array {
  return new Uint8Array(Math.round(seconds * 16_000) * 2);
}

export function finalsOf(messages: SessionEvent[]): TranscriptEvent[] {
  return messages.filter(
    (message): message is TranscriptEvent => message.type === 'transcript' && message.is_final,
  );
}
