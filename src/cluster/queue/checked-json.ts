import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';

export type ReadChecked<T> = (bytes: Uint8Array) => T;

type Options = {
  /** What is read, as errors name it. */
  what: string;
  maxBytes: number;
  schema: TSchema;
};

/**
 * Reads what another machine wrote: JSON, since nothing but plain data can come out of it, no longer than it may be, and of
 * the form that the schema describes. Errors do not repeat it, since it may be a transcript.
 */
export function createCheckedReader<T>({ what, maxBytes, schema }: Options): ReadChecked<T> {
  const form = Compile(schema);
  return (bytes) => {
    if (bytes.length > maxBytes) throw new Error(`${what} is longer than ${maxBytes} bytes.`);
    const value = parsed(bytes, what);
    if (form.Check(value)) return value as T;
    // To say where would take much longer than to refuse it.
    throw new Error(`${what} does not have the form of one.`);
  };
}

function parsed(bytes: Uint8Array, what: string): unknown {
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
  } catch {
    throw new Error(`${what} is not JSON.`);
  }
}
