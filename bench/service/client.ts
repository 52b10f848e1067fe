import type { IncomingHttpHeaders } from 'node:http';
import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';

export type Answer = { status: number; headers: IncomingHttpHeaders; body: string; requestId: string };

/** Keeps its connections to one service, as the clients of a customer do. */
export type Client = Disposable & {
  get(path: string, key: string): Promise<Answer>;
  /** Rejects when the connection breaks before the answer is whole. */
  transcribe(file: Uint8Array, key: string, fields?: Record<string, string>): Promise<Answer>;
};

export function createClient({ port, ca }: { port: number; ca: string }): Client {
  const agent = new Agent({ keepAlive: true });

  const send = (path: string, key: string, given: { method: string; type?: string; body?: Uint8Array }) =>
    new Promise<Answer>((resolve, reject) => {
      const { method, type, body } = given;
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
      });
      asked.on('error', reject);
      asked.on('response', (response) => {
        text(response).then((content) => {
          const { statusCode: status = 0, headers } = response;
          resolve({ status, headers, body: content, requestId: String(headers['x-request-id']) });
        }, reject);
      });
      asked.end(body);
    });

  return {
    get: (path, key) => send(path, key, { method: 'GET' }),
    transcribe: (file, key, fields) =>
      send('/v1/audio/transcriptions', key, {
        method: 'POST',
        type: 'multipart/form-data; boundary=bench',
        body: formOf(file, fields),
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
