import { once } from 'node:events';
import { Agent } from 'node:https';
import { DeepgramClient } from '@deepgram/sdk';
import OpenAI from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import type { TestService } from './service.ts';

// biome-ignore lint/suspicious/noExplicitAny: as the clients hand them over.
type Message = any;

export type DialectClient = AsyncDisposable & {
  messages: Message[];
  until(isIt: (message: Message) => boolean): Promise<Message>;
  closed: Promise<number>;
};

type Service = Pick<TestService, 'addresses' | 'keys' | 'ca'>;

/** The client that OpenAI publishes, as its documentation uses it for transcription. */
export async function connectOpenai({ addresses, keys, ca }: Service, apiKey: string = keys.live) {
  const openai = new OpenAI({ apiKey, baseURL: addresses.live });
  const client = new OpenAIRealtimeWS({ model: 'siann-1', options: { ca } }, openai);
  const collected = collectMessages();
  client.on('event', collected.receive);
  client.on('error', () => {});
  client.socket.on('close', collected.close);
  await once(client.socket, 'open');
  return {
    ...collected.client,
    client,
    append: (audio: Uint8Array) =>
      client.send({ type: 'input_audio_buffer.append', audio: Buffer.from(audio).toString('base64') }),
    async [Symbol.asyncDispose]() {
      client.close();
      await collected.client.closed;
    },
  };
}

/** The client that Deepgram publishes. */
export async function connectDeepgram(
  { addresses, keys, ca }: Service,
  options: Record<string, string | string[]>,
) {
  const address = addresses.live.replace('https', 'wss').replace('/v1', '');
  const environment = { base: address, production: address, agent: address, agentRest: address };
  const deepgram = new DeepgramClient({ apiKey: keys.live, environment });
  const connection = await deepgram.listen.v1.connect({
    model: 'nova-3',
    ...options,
    agent: new Agent({ ca }),
    reconnectAttempts: 0,
  } as never);
  const collected = collectMessages();
  connection.on('message', collected.receive);
  connection.on('close', ({ code }) => collected.close(code));
  connection.on('error', () => {});
  connection.connect();
  await connection.waitForOpen();
  return {
    ...collected.client,
    connection,
    async [Symbol.asyncDispose]() {
      connection.close();
    },
  };
}

function collectMessages() {
  const messages: Message[] = [];
  const waiters = new Set<() => void>();
  const changed = () => {
    for (const waiter of [...waiters]) waiter();
  };
  let close = (_code: number) => {};
  const closed = new Promise<number>((resolve) => {
    close = resolve;
  });
  return {
    receive(message: Message) {
      messages.push(message);
      changed();
    },
    close: (code: number) => close(code),
    client: {
      messages,
      closed,
      until: (isIt: (message: Message) => boolean): Promise<Message> =>
        new Promise((resolve, reject) => {
          const look = () => {
            const found = messages.find(isIt);
            if (found === undefined) return;
            waiters.delete(look);
            resolve(found);
          };
          waiters.add(look);
          closed.then(() => reject(new Error(`Closed after ${JSON.stringify(messages)}`)));
          look();
        }),
    },
  };
}
