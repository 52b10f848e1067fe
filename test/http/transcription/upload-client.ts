/** A client of the transcription route: forms, files, and connections on which a test can write anything. */
import { once } from 'node:events';
import { request as httpRequest, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import { connect, type Socket } from 'node:net';
import { fixture } from '../../../evaluation/spoken-files.ts';
import { pcmSampleRate } from '../../../src/audio/pcm.ts';
import { toWave } from '../../support/wave.ts';

export const speech = fixture('speech-16k.wav');

const url = '/v1/audio/transcriptions';

export type Field = [name: string, value: string | Uint8Array];

/** The bytes of a form. A value that is not a text is a file. */
export function formBody(fields: readonly Field[]): Buffer {
  const parts = fields.flatMap(([name, value]) => {
    const file =
      typeof value === 'string' ? '' : '; filename="talk.wav"\r\nContent-Type: application/octet-stream';
    return [
      Buffer.from(`--b\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`),
      value,
      '\r\n',
    ];
  });
  return Buffer.concat([...parts, '--b--\r\n'].map((part) => Buffer.from(part as string)));
}

/** A wave file of any size with two seconds of silence. Most of it is a chunk without sound, which is fast to decode. */
export async function* bigWave(fileBytes: number): AsyncGenerator<Uint8Array> {
  const sound = Buffer.from(toWave(new Float32Array(2 * pcmSampleRate)));
  const note = Buffer.from('note\0\0\0\0');
  const noteBytes = fileBytes - sound.length - note.length;
  note.writeUInt32LE(noteBytes, 4);
  yield Buffer.concat([sound.subarray(0, 36), note]);
  const piece = Buffer.alloc(64 * 1024);
  for (let left = noteBytes; left > 0; left -= piece.length) yield piece.subarray(0, left);
  yield sound.subarray(36);
}

export type Answer = { status: number; headers: IncomingHttpHeaders; body: string };

export type Upload = { headers?: OutgoingHttpHeaders; body: Uint8Array | AsyncIterable<Uint8Array> };

/** Sends a body: bytes with a Content-Length, anything else chunked. The answer may come while it is being sent. */
export async function post(port: number, { headers, body }: Upload): Promise<Answer> {
  const request = httpRequest({
    port,
    host: '127.0.0.1',
    path: url,
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=b', ...headers },
  });
  const answered = once(request, 'response');
  const over = new AbortController();
  answered.catch(() => {}).finally(() => over.abort());
  request.on('error', () => over.abort());
  const sending = (async () => {
    if (body instanceof Uint8Array) request.setHeader('content-length', body.length);
    for await (const chunk of body instanceof Uint8Array ? [body] : body) {
      if (!request.write(chunk)) await once(request, 'drain', { signal: over.signal });
      over.signal.throwIfAborted();
    }
  })();
  sending.catch(() => {}).finally(() => request.end());
  const [response] = await answered;
  response.setEncoding('utf8');
  let text = '';
  for await (const piece of response) text += piece;
  return { status: response.statusCode, headers: response.headers, body: text };
}

export async function transcribe(port: number, fields: readonly Field[], headers?: OutgoingHttpHeaders) {
  return post(port, { ...(headers && { headers }), body: formBody(fields) });
}

export function errorOf({ body }: Answer) {
  return JSON.parse(body).error as { message: string; type: string; param?: string; code: string };
}

/** The head of a request whose body comes from `formBody`. */
export function requestHead(contentLength: number, moreHeaders = ''): string {
  return `POST ${url} HTTP/1.1\r\nHost: x\r\n${moreHeaders}Content-Length: ${contentLength}\r\nContent-Type: multipart/form-data; boundary=b\r\n\r\n`;
}

export async function openSocket(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

export async function until(condition: () => boolean, milliseconds = 5_000): Promise<void> {
  const deadline = performance.now() + milliseconds;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error('waited in vain');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
