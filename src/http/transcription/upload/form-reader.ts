import { ServiceError } from '../../../errors/service-error.ts';
import type { OptionTexts } from '../../../options/read-options.ts';
import { createMultipartParser } from './multipart-parser.ts';
import { maxBodyBytes, maxFileBytes, maxParts, maxValueBytes } from './upload-limits.ts';

type FormReader = {
  /** The fields that have come so far. */
  readonly fields: OptionTexts;
  push(chunk: Uint8Array): void;
  /** Throws unless the form is whole and has a file. */
  end(): void;
};

type FormReaderOptions = {
  boundary: string;
  /** The fields to keep. All others are ignored. */
  known: ReadonlySet<string>;
  /** Gets the bytes of the file, as a view into the chunk that was pushed. */
  onFile(bytes: Uint8Array): void;
  onFileEnd(): void;
};

type OpenPart = { name: string; isFile: boolean; bytes: number; kept: Buffer[] };

const textFileMessage =
  'The field `file` came as text, without a file in it. With curl, write -F file=@talk.mp3; in other clients, open the file and send its content.';

/** Reads the fields and the one file of a form while it arrives, in any order, and enforces every limit. */
export function createFormReader(options: FormReaderOptions): FormReader {
  const fields = new Map<string, string[]>();
  const { known, onFile, onFileEnd } = options;
  const parser = createMultipartParser(options.boundary, { onPart, onData, onPartEnd });
  let part: OpenPart | undefined;
  let bodyBytes = 0;
  let parts = 0;
  let hasFile = false;
  let hasTextFile = false;

  return {
    fields,
    push(chunk) {
      bodyBytes += chunk.length;
      if (bodyBytes > maxBodyBytes) throw new ServiceError('file_too_large');
      parser.push(chunk);
    },
    end() {
      parser.end();
      if (!hasFile) throw new ServiceError('missing_file', hasTextFile ? { message: textFileMessage } : {});
    },
  };

  function onPart({ name, isFile }: { name: string; isFile: boolean }): void {
    if (++parts > maxParts) {
      throw new ServiceError('invalid_multipart', { message: `The form has more than ${maxParts} parts.` });
    }
    if (name === 'file' && isFile && hasFile) {
      const message = 'The form has more than one file. Send one file in each request.';
      throw new ServiceError('invalid_multipart', { message, param: 'file' });
    }
    part = { name, isFile: name === 'file' && isFile, bytes: 0, kept: [] };
    if (part.isFile) hasFile = true;
    else if (name === 'file') hasTextFile = true;
  }

  function onData(bytes: Buffer): void {
    const open = part!;
    open.bytes += bytes.length;
    if (open.isFile) {
      if (open.bytes > maxFileBytes) throw new ServiceError('file_too_large');
      onFile(bytes);
    } else if (known.has(open.name) && open.bytes <= maxValueBytes) {
      // Pieces are joined now and then, because a client may send single bytes.
      if (open.kept.length === 64) open.kept = [Buffer.concat(open.kept)];
      open.kept.push(Buffer.from(bytes));
    }
  }

  function onPartEnd(): void {
    const { name, isFile, bytes, kept } = part!;
    part = undefined;
    if (isFile) onFileEnd();
    if (isFile || !known.has(name)) return;
    if (bytes > maxValueBytes) {
      const message = `The value of \`${name}\` is longer than ${maxValueBytes / 1024} KB. Shorten it.`;
      throw new ServiceError('invalid_value', { message, param: name });
    }
    const values = fields.get(name);
    const value = Buffer.concat(kept).toString('utf8');
    if (values) values.push(value);
    else fields.set(name, [value]);
  }
}
