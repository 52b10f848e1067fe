import { ServiceError } from '../../errors/service-error.ts';

const fileFailures: Record<string, string> = {
  ENOENT: 'there is no such file.',
  EISDIR: 'this is a folder. Name the audio files in it.',
  EACCES: 'the file may not be read. Check its permissions.',
  EPERM: 'the file may not be read. Check its permissions.',
};

/** Why a file could not be transcribed, as the rest of a sentence that begins with its name. */
export function fileFailure(error: unknown): string {
  if (error instanceof ServiceError) return error.message;
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  return fileFailures[code ?? ''] ?? (error instanceof Error ? error.message : String(error));
}
