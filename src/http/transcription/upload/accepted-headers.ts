import type { IncomingHttpHeaders } from 'node:http';
import { ServiceError } from '../../../errors/service-error.ts';
import { maxBodyBytes } from './upload-limits.ts';

type UploadHeaders = {
  boundary: string;
  contentLength: number | undefined;
  /** The format when the form names none: text for a client that accepts nothing else. */
  defaultFormat: 'text' | 'json';
};

const boundaryParameter = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i;

/** Reads what the headers say about the body. Throws when the body cannot be accepted, before a byte of it is read. */
export function readUploadHeaders(headers: IncomingHttpHeaders): UploadHeaders {
  const contentType = headers['content-type'] ?? '';
  if (!/^multipart\/form-data\s*(;|$)/i.test(contentType)) throw new ServiceError('unsupported_media_type');
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding !== 'identity') {
    const message = 'The body may not be compressed. Send it without Content-Encoding.';
    throw new ServiceError('unsupported_media_type', { message });
  }
  const [, quoted, plain] = boundaryParameter.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) {
    const message =
      'The Content-Type has no boundary. Let your HTTP client set it, and send multipart/form-data with a boundary.';
    throw new ServiceError('invalid_multipart', { message });
  }
  const length = headers['content-length'];
  const contentLength = length === undefined ? undefined : Number(length);
  if (contentLength !== undefined && contentLength > maxBodyBytes) throw new ServiceError('file_too_large');
  return { boundary, contentLength, defaultFormat: acceptsOnlyText(headers.accept) ? 'text' : 'json' };
}

function acceptsOnlyText(accept = ''): boolean {
  const types = accept.split(',').map((type) => type.split(';', 1)[0]!.trim().toLowerCase());
  return types.includes('text/plain') && !types.some((type) => type === 'application/json' || type === '*/*');
}
