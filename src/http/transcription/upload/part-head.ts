import { ServiceError } from '../../../errors/service-error.ts';
import { maxNameBytes } from './upload-limits.ts';

/** What the head of a part of a form says about the part. */
export type PartHead = { name: string; isFile: boolean };

const parameter = /;\s*([^\s=;"]+)\s*=\s*("(?:[^"\\]|\\.)*"|[^\s;]*)/g;

/** Parses the headers of a part, without the empty line after them. Throws invalid_multipart for a part without a field name. */
export function parsePartHead(text: string): PartHead {
  const headers = readHeaders(text);
  const disposition = headers.get('content-disposition') ?? '';
  if (!/^form-data\s*(;|$)/i.test(disposition)) throw new ServiceError('invalid_multipart');
  const parameters = new Map(
    [...disposition.matchAll(parameter)].map(([, key, value]) => [key!.toLowerCase(), unquote(value!)]),
  );
  const name = parameters.get('name');
  if (name === undefined) throw new ServiceError('invalid_multipart');
  if (Buffer.byteLength(name) > maxNameBytes) {
    throw new ServiceError('invalid_multipart', {
      message: `A field of the form has a name of more than ${maxNameBytes} bytes.`,
    });
  }
  const contentType = headers.get('content-type')?.toLowerCase() ?? 'text/plain';
  const named = parameters.has('filename') || parameters.has('filename*');
  return { name, isFile: named || !contentType.startsWith('text/') };
}

function readHeaders(text: string): Map<string, string> {
  const headers = new Map<string, string>();
  // A line that begins with a space continues the one before it.
  for (const line of text.replace(/\r\n[ \t]+/g, ' ').split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon <= 0) throw new ServiceError('invalid_multipart');
    headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
  return headers;
}

function unquote(value: string): string {
  return value.startsWith('"') ? value.slice(1, -1).replace(/\\(["\\])/g, '$1') : value;
}
