/** Commands carry transcripts, audio and hashes of keys. ioredis puts all of that into the error of a command that failed. */
type CommandError = Error & { command?: { name: string; args?: unknown } };

/** Redis repeats the beginning of the arguments of a command that it does not know. */
const repeatedArguments = /,? with args beginning with:.*$/s;

/** The same error, with the name of the command and without its arguments. */
export function leaveOutArguments(error: Error): Error {
  const failed = error as CommandError;
  if (failed.command) failed.command = { name: failed.command.name };
  if (!repeatedArguments.test(error.message)) return error;
  const message = error.message.replace(repeatedArguments, '');
  if (error.stack) error.stack = error.stack.replace(error.message, () => message);
  error.message = message;
  return error;
}
