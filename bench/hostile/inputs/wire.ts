/** Requests as bytes, with nothing put right on the way. */

export type Header = [name: string, value: string];

export function wireRequest(
  line: string,
  headers: readonly Header[],
  body: Uint8Array = new Uint8Array(),
): Buffer {
  const head = [line, ...headers.map(([name, value]) => `${name}: ${value}`), '', ''].join('\r\n');
  return Buffer.concat([Buffer.from(head, 'latin1'), body]);
}

export const transcriptions = '/v1/audio/transcriptions';
export const boundary = 'fuzz-boundary-1234';

export function uploadHeaders(key: string, bodyBytes: number): Header[] {
  return [
    ['Host', 'localhost'],
    ['Authorization', `Bearer ${key}`],
    ['Content-Type', `multipart/form-data; boundary=${boundary}`],
    ['Content-Length', String(bodyBytes)],
  ];
}

/** A well-formed upload of whatever the file may be. */
export function uploadOf(file: Uint8Array, key: string, fields: readonly Header[] = []): Buffer {
  const body = formOf([...fields.map(([name, value]) => textPart(name, value)), filePart(file)]);
  return wireRequest(`POST ${transcriptions} HTTP/1.1`, uploadHeaders(key, body.length), body);
}

export function formOf(parts: readonly Uint8Array[]): Buffer {
  const opened = parts.flatMap((part) => [Buffer.from(`--${boundary}\r\n`), part, Buffer.from('\r\n')]);
  return Buffer.concat([...opened, Buffer.from(`--${boundary}--\r\n`)]);
}

export function textPart(name: string, value: string): Buffer {
  return Buffer.from(`Content-Disposition: form-data; name="${name}"\r\n\r\n${value}`);
}

export function filePart(file: Uint8Array, name = 'file', filename = 'talk.mp3'): Buffer {
  const head = `Content-Disposition: form-data; name="${name}"; filename="${filename}"\r\nContent-Type: audio/mpeg\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), file]);
}

/** Chunked transfer coding, in chunks of this size. */
export function chunkedBody(body: Uint8Array, chunkBytes: number): Buffer {
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < body.length; at += chunkBytes) {
    const chunk = body.subarray(at, at + chunkBytes);
    chunks.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'));
  }
  return Buffer.concat([...chunks, Buffer.from('0\r\n\r\n')]);
}
