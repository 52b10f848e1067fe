import type { IncomingHttpHeaders } from 'node:http';
import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';

export type Answer = { status: number; headers: IncomingHttpHeaders; body: string; requestId: string };

/** Keeps its connections to one service, as the clients of a customer do. */
export type Client = Disposable & {
  get(path: string, key: string): Promise<Answer>;
  /** Rejects when the connection breaks before the answer is whole: with a `BrokenAnswer` once it has begun. */
  transcribe(
    file: Uint8Array,
    key: string,
    fields?: Record<string, string>,
    signal?: AbortSignal,
  ): Promise<Answer>;
};

export class BrokenAnswer extends Error {
  readonly requestId: string;

  constructor(requestId: string, cause: unknown) {
    super('The connection broke in the middle of the answer.', { cause });
    this.requestId = requestId;
  }
}

type Sent = { method: string; type?: string; body?: Uint8Array; signal?: AbortSignal };

export function createClient({ port, ca }: { port: number; ca: string }): Client {
  const agent = new Agent({ keepAlive: true });

  const send = (path: string, key: string, given: Sent) =>
    new Promise<Answer>((resolve, reject) => {
      const { method, type, body, signal } = given;
      const headers = {
        authorization: `Bearer ${key}`,
        ...(type && { 'content-type': type, 'content-length': body!.length }),
      };
      const asked = request({
        host: '127.0.0.1',
        servername: 'localhost',
        port,
        path,
        method,
        ca,
        agent,
        headers,
        ...(signal && { signal }),
      });
      asked.on('error', reject);
      asked.on('response', (response) => {
        const { statusCode: status = 0, headers } = response;
        const requestId = String(headers['x-request-id']);
        text(response).then(
          (content) => resolve({ status, headers, body: content, requestId }),
          (cause) => reject(new BrokenAnswer(requestId, cause)),
        );
      });
      asked.end(body);
    });

  return {
    get: (path, key) => send(path, key, { method: 'GET' }),
    transcribe: (file, key, fields, signal) =>
      send('/v1/audio/transcriptions', key, {
        method: 'POST',
        type: 'multipart/form-data; boundary=bench',
        body: formOf(file, fields),
        ...(signal && { signal }),
      }),
    [Symbol.dispose]: () => agent.destroy(),
  };
}

const part = (disposition: string) => `--bench\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`;

export function formOf(file: Uint8Array, fields: Record<string, string> = {}): Buffer {
  const named = Object.entries({ model: 'siann-1', ...fields }).map(
    ([name, value]) => `${part(`name="${name}"`)}${value}\r\n`,
  );
  const opening = [...named, part('name="file"; filename="clip.wav"')].join('');
  return Buffer.concat([Buffer.from(opening), file, Buffer.from('\r\n--bench--\r\n')]);
}
