import { createReadStream } from 'node:fs';

/** A file's bytes as they are asked for; the file is closed when the reader stops. */
export async function* readFileBytes(path: string, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path, { highWaterMark: 65_536, ...(signal && { signal }) });
}
