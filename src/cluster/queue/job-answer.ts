import { deserialize, serialize } from 'node:v8';
import { type CarriedError, packError, unpackError } from '../../pool/process/carried-error.ts';
import type { NodeCodec, WorkerCodec } from './job-codec.ts';

/** An answer is the result of a job, or an error. The first byte says which. */
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

/** Throws when the answer is an error. */
export function unpackAnswer<Result>(
  codec: Pick<NodeCodec<never, Result>, 'unpackResult'>,
  bytes: Buffer,
): Result {
  const content = bytes.subarray(1);
  if (bytes[0] === isResult) return codec.unpackResult(content);
  throw unpackError(deserialize(content) as CarriedError);
}
