import { connect } from 'node:tls';
import type { MutatedRequest } from './mutated-request.ts';

export type RawAnswer = { status: number; headers: Map<string, string>; body: string };

export type Exchange = {
  /** Undefined when the connection was cut without an answer. */
  answer: RawAnswer | undefined;
  /** Neither answered nor cut in time. */
  hung: boolean;
  milliseconds: number;
};

/** Sends the bytes as they are over TLS, and takes the first answer that is whole. */
export async function exchange(
  { method, bytes, ends, pieceBytes = bytes.length || 1 }: MutatedRequest,
  { port, ca, withinMs }: { port: number; ca: string; withinMs: number },
): Promise<Exchange> {
  const socket = connect({ host: '127.0.0.1', servername: 'localhost', port, ca });
  socket.on('error', () => {});
  await new Promise((resolve) => {
    socket.once('secureConnect', resolve);
    socket.once('close', resolve);
  });
  const startedAt = performance.now();
  const finished = new Promise<Omit<Exchange, 'milliseconds'>>((resolve) => {
    const received: Buffer[] = [];
    const timer = setTimeout(() => resolve({ answer: undefined, hung: true }), withinMs);
    const finish = (answer: RawAnswer | undefined) => {
      clearTimeout(timer);
      resolve({ answer, hung: false });
    };
    socket.on('data', (data) => {
      received.push(data);
      const answer = parseAnswer(Buffer.concat(received).toString('latin1'), { method, closed: false });
      if (answer) finish(answer);
    });
    socket.on('close', () =>
      finish(parseAnswer(Buffer.concat(received).toString('latin1'), { method, closed: true })),
    );
    if (socket.destroyed) finish(undefined);
  });
  await write();
  const outcome = await finished;
  socket.destroy();
  return { ...outcome, milliseconds: performance.now() - startedAt };

  async function write(): Promise<void> {
    for (let at = 0; at < bytes.length && socket.writable; at += pieceBytes) {
      socket.write(bytes.subarray(at, at + pieceBytes));
      if (at + pieceBytes < bytes.length) await new Promise((resolve) => setImmediate(resolve));
    }
    if (ends) socket.end();
  }
}

/** The first final answer in the text, when it is whole; `closed` ends one that says no length. */
export function parseAnswer(text: string, given: { method: string; closed: boolean }): RawAnswer | undefined {
  const { method, closed } = given;
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const [line = '', ...lines] = text.slice(0, headEnd).split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3})( |$)/.exec(line)?.[1]);
  const rest = text.slice(headEnd + 4);
  if (status < 200) return parseAnswer(rest, given);
  const headers = new Map(
    lines.map((each) => [
      each.slice(0, each.indexOf(':')).toLowerCase(),
      each.slice(each.indexOf(':') + 1).trim(),
    ]),
  );
  const length = headers.get('content-length');
  const hasBody = method !== 'HEAD' && status !== 204;
  if (!hasBody) return { status, headers, body: '' };
  if (length !== undefined) {
    const isWhole = rest.length >= Number(length) || closed;
    return isWhole ? { status, headers, body: utf8(rest.slice(0, Number(length))) } : undefined;
  }
  if (headers.get('transfer-encoding') === 'chunked') {
    const body = unchunked(rest);
    return body === undefined ? undefined : { status, headers, body: utf8(body) };
  }
  return closed ? { status, headers, body: utf8(rest) } : undefined;
}

function unchunked(text: string): string | undefined {
  let body = '';
  for (let at = 0; ; ) {
    const lineEnd = text.indexOf('\r\n', at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(text.slice(at, lineEnd), 16);
    if (size === 0) return body;
    if (lineEnd + 2 + size + 2 > text.length) return undefined;
    body += text.slice(lineEnd + 2, lineEnd + 2 + size);
    at = lineEnd + 2 + size + 2;
  }
}

function utf8(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString('utf8');
}
