import { ServiceError } from '../../../errors/service-error.ts';
import { type PartHead, parsePartHead } from './part-head.ts';
import { maxPartHeadBytes, maxPreambleBytes } from './upload-limits.ts';

type MultipartHandlers = {
  onPart(head: PartHead): void;
  /** The bytes are a view into what was pushed. Copy them to keep them. */
  onData(bytes: Buffer): void;
  onPartEnd(): void;
};

/** Both throw invalid_multipart as soon as the form cannot become valid any more. */
type MultipartParser = { push(chunk: Uint8Array): void; end(): void };

type State = 'preamble' | 'delimiter' | 'head' | 'content' | 'epilogue';

/**
 * Parses multipart/form-data (RFC 7578, RFC 2046 section 5.1) that is pushed in pieces of any size. It holds at most the head of
 * one part, or as many bytes as a delimiter has. docs/decisions/015 says why we have our own parser.
 */
export function createMultipartParser(boundary: string, handlers: MultipartHandlers): MultipartParser {
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  // The first delimiter may stand at the start of the body, without a line break before it. So we add one.
  let held: Buffer = Buffer.from('\r\n');
  let state: State = 'preamble';
  let preambleBytes = 0;

  return {
    push(chunk) {
      if (state === 'epilogue') return;
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      held = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
      while (step());
    },
    end() {
      if (state !== 'epilogue') throw new ServiceError('invalid_multipart');
    },
  };

  /** False when more bytes are needed. */
  function step(): boolean {
    switch (state) {
      case 'preamble':
        return readUntilDelimiter(countPreamble);
      case 'delimiter':
        return readDelimiterEnd();
      case 'head':
        return readHead();
      case 'content':
        return readUntilDelimiter(handlers.onData, handlers.onPartEnd);
      case 'epilogue':
        held = Buffer.alloc(0);
        return false;
    }
  }

  function readUntilDelimiter(onBytes: (bytes: Buffer) => void, onFound?: () => void): boolean {
    const at = held.indexOf(delimiter);
    const end = at >= 0 ? at : held.length - startOfDelimiterAtEnd();
    if (end > 0) onBytes(held.subarray(0, end));
    held = held.subarray(at >= 0 ? at + delimiter.length : end);
    if (at < 0) return false;
    onFound?.();
    state = 'delimiter';
    return true;
  }

  /** How many of the last bytes may be the beginning of a delimiter. */
  function startOfDelimiterAtEnd(): number {
    const from = Math.max(0, held.length - delimiter.length + 1);
    for (let at = held.indexOf(13, from); at >= 0; at = held.indexOf(13, at + 1)) {
      if (held.compare(delimiter, 0, held.length - at, at) === 0) return held.length - at;
    }
    return 0;
  }

  function countPreamble(bytes: Buffer): void {
    preambleBytes += bytes.length;
    if (preambleBytes > maxPreambleBytes) throw new ServiceError('invalid_multipart');
  }

  function readDelimiterEnd(): boolean {
    if (held.length < 2) return false;
    const end = held.toString('latin1', 0, 2);
    if (end !== '--' && end !== '\r\n') throw new ServiceError('invalid_multipart');
    state = end === '--' ? 'epilogue' : 'head';
    held = held.subarray(2);
    return true;
  }

  function readHead(): boolean {
    const end = held.indexOf('\r\n\r\n');
    if ((end < 0 ? held.length : end) > maxPartHeadBytes) {
      throw new ServiceError('invalid_multipart', { message: 'The head of a part of the form is too long.' });
    }
    if (end < 0) return false;
    handlers.onPart(parsePartHead(held.toString('utf8', 0, end)));
    held = held.subarray(end + 4);
    state = 'content';
    return true;
  }
}
