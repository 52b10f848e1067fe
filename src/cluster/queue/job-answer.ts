import { deserialize, serialize } from 'node:v8';
import { type CarriedError, packError, unpackError } from '../../pool/process/carried-error.ts';
import type { NodeCodec, WorkerCodec } from './job-codec.ts';

/** What comes back for a job: its result, or the error in its place. The first byte says which. */
const isResult = 1;
const isError = 0;

export function packResultAnswer<Result>(
  codec: Pick<WorkerCodec<never, Result>, 'packResult'>,
  result: Result,
): Buffer {
  return Buffer.concat([Buffer.from([isResult]), codec.packResult(result)]);
}

export function packErrorAnswer(error: unknown): Buffer {
  return Buffer.concat([Buffer.from([isError]), serialize(packError(error))]);
}

/** Throws the error, where it is one. */
export function unpackAnswer<Result>(
  codec: Pick<NodeCodec<never, Result>, 'unpackResult'>,
  bytes: Buffer,
): Result {
  const content = bytes.subarray(1);
  if (bytes[0] === isResult) return codec.unpackResult(content);
  throw unpackError(deserialize(content) as CarriedError);
}
