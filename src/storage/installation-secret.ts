import { randomBytes } from 'node:crypto';
import { chmod, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

type Options = {
  /** From the settings. */
  secret: string | undefined;
  databaseUrl: string;
};

const fileName = 'secret';

/**
 * The secret of this installation: the one of the settings, or for a service with a database file the one beside it, which is
 * made at the first start. Services that share a PostgreSQL server must be told it, since each would make another.
 */
export async function installationSecret({ secret, databaseUrl }: Options): Promise<string | undefined> {
  if (secret !== undefined) return secret;
  if (/^postgres(ql)?:/i.test(databaseUrl)) return undefined;
  const folder = dirname(databaseUrl);
  const path = join(folder, fileName);
  try {
    return (await readSecret(path)) ?? (await makeSecret(folder, path));
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const sentence = `The secret of the installation in ${path} cannot be used (${code ?? message}). Bring the file back from a backup, or check who owns it.`;
    throw new Error(sentence, { cause });
  }
}

async function readSecret(path: string): Promise<string | undefined> {
  try {
    const text = (await readFile(path, 'utf8')).trim();
    if (text.length < 32) throw new Error('it is too short');
    // Nobody else may read it, whatever copied it here.
    await chmod(path, 0o600);
    return text;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Written under another name first: a link is made whole or not at all, and by one process only. */
async function makeSecret(folder: string, path: string): Promise<string | undefined> {
  await mkdir(folder, { recursive: true });
  const temporary = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  await writeFile(temporary, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
  try {
    await link(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(temporary);
  }
  return readSecret(path);
}
