import { withSourceLines } from './source-lines.ts';

/**
 * An error as it is logged. Drivers put what they were working on into their errors: ioredis the arguments of a command, which
 * may be a transcript, and PostgreSQL the row that it refused. So fields are logged only if they are named here.
 */
export type LoggedError = {
  type: string;
  message: string;
  stack: string;
  /** The errors of an AggregateError, such as one for each address that was tried. */
  errors?: LoggedError[];
  [field: string]: unknown;
};

/** Codes and names that say where to look: of our own errors, of the operating system, of PostgreSQL. */
const loggedFields = [
  'code',
  'param',
  'retryAfterSeconds',
  'errno',
  'syscall',
  'address',
  'port',
  'severity',
  'schema',
  'table',
  'column',
  'constraint',
  'routine',
] as const;

const deepestCause = 5;

export function loggedError(thrown: unknown, depth = 0): LoggedError {
  if (!(thrown instanceof Error)) return { type: typeof thrown, message: 'not an error', stack: '' };
  const fields = thrown as unknown as Record<string, unknown>;
  const logged: LoggedError = { type: thrown.name, message: withoutValues(thrown), stack: stackOf(thrown) };
  if (thrown.cause instanceof Error && depth < deepestCause) {
    const cause = loggedError(thrown.cause, depth + 1);
    logged.message += `: ${cause.message}`;
    logged.stack += `\ncaused by: ${cause.stack}`;
  }
  for (const field of loggedFields) {
    const value = fields[field];
    if (typeof value === 'string' || typeof value === 'number') logged[field] = value;
  }
  const command = (fields.command as { name?: unknown } | undefined)?.name;
  if (typeof command === 'string') logged.command = command;
  if (Array.isArray(fields.errors) && depth < deepestCause)
    logged.errors = fields.errors.map((error) => loggedError(error, depth + 1));
  return logged;
}

/** Messages that repeat what was given, as JSON.parse and PostgreSQL (`invalid input syntax for type bigint: "…"`) write them. */
const repeatedValues = [
  /(?<=^Unexpected token ).*(?= is not valid JSON$)/s,
  /(?<=: )".*"$/s,
  /(?<= with args beginning with:).*$/s,
];

function withoutValues({ message }: Error): string {
  return repeatedValues.reduce((text, values) => text.replace(values, '…'), message);
}

function stackOf(error: Error): string {
  const stack = withSourceLines(error.stack ?? '');
  return error.message === '' ? stack : stack.replace(error.message, () => withoutValues(error));
}
