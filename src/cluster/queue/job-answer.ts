import { Type } from 'typebox';
import { catalogue } from '../../errors/catalogue.ts';
import { type CarriedError, packError, unpackError } from '../../pool/process/carried-error.ts';
import { unavailable } from '../unavailable.ts';
import { createCheckedReader } from './checked-json.ts';
import type { NodeCodec, WorkerCodec } from './job-codec.ts';

/** An answer is the result of a job, or an error. The first byte says which. */
const isResult = 1;
const isError = 0;
const kindBytes = 1;

const maxErrorBytes = 64 * 1024;
const longestMessage = 1_000;
const longestStack = 5_000;

export function packResultAnswer<Result>(
  codec: Pick<WorkerCodec<never, Result>, 'packResult'>,
  result: Result,
): Buffer {
  return Buffer.concat([Buffer.from([isResult]), codec.packResult(result)]);
}

export function packErrorAnswer(error: unknown): Buffer {
  return Buffer.concat([Buffer.from([isError]), Buffer.from(JSON.stringify(shortened(packError(error))))]);
}

/** Longer ones are not taken from Redis whole. */
export function maxAnswerBytes({ maxResultBytes }: Pick<NodeCodec<never, never>, 'maxResultBytes'>): number {
  return kindBytes + Math.max(maxResultBytes, maxErrorBytes);
}

/** Throws when the answer is an error, or cannot be an answer: a worker is believed in what it heard, and in nothing else. */
export function unpackAnswer<Result>(
  codec: Pick<NodeCodec<never, Result>, 'unpackResult' | 'maxResultBytes'>,
  bytes: Buffer,
): Result {
  let error: Error;
  try {
    const content = bytes.subarray(kindBytes);
    if (bytes[0] === isResult) return codec.unpackResult(within(codec.maxResultBytes, content));
    error = unpackError(readError(content));
  } catch (cause) {
    throw unavailable({ cause });
  }
  throw error;
}

function within(maxBytes: number, content: Buffer): Buffer {
  if (content.length > maxBytes) throw new Error(`The result of a worker is longer than ${maxBytes} bytes.`);
  return content;
}

const message = Type.String({ maxLength: longestMessage });
const codes = Object.entries(catalogue).flatMap(([code, entry]) => ('status' in entry ? [code] : []));
const service = Type.Object(
  {
    code: Type.Union(codes.map((code) => Type.Literal(code))),
    param: Type.Optional(Type.String({ maxLength: 100 })),
    retryAfterSeconds: Type.Optional(Type.Number({ minimum: 0, maximum: 3_600 })),
  },
  { additionalProperties: false },
);
const errorFields = {
  name: Type.String({ maxLength: 100 }),
  message,
  stack: Type.Optional(Type.String({ maxLength: longestStack })),
  service: Type.Optional(service),
};

/** As deep as `packError` goes. */
const deepestCause = 5;

const readError = createCheckedReader<CarriedError>({
  what: 'An error of a worker',
  maxBytes: maxErrorBytes,
  schema: errorSchema(deepestCause),
});

function errorSchema(depth: number): ReturnType<typeof Type.Object> {
  const cause = depth === 0 ? {} : { cause: Type.Optional(errorSchema(depth - 1)) };
  return Type.Object({ ...errorFields, ...cause }, { additionalProperties: false });
}

function shortened(carried: CarriedError): CarriedError {
  const { name, stack, cause, ...rest } = carried;
  return {
    ...rest,
    name: name.slice(0, 100),
    message: carried.message.slice(0, longestMessage),
    ...(stack !== undefined && { stack: stack.slice(0, longestStack) }),
    ...(cause && { cause: shortened(cause) }),
  };
}
