import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

type Environment = Record<string, string | undefined>;

/** The environment and two `.env` files. The environment counts most, then the file of the current folder, then the project's. */
export function environmentWithFiles(
  env: Environment,
  files = [projectEnvFile, resolve('.env')],
): Environment {
  return Object.assign({}, ...files.map((file) => parseEnvFile(readIfThere(file))), env);
}

// Not every release of Node.js 20 can read such files itself.
export function parseEnvFile(text: string): Environment {
  const values: Environment = {};
  for (const line of text.split(/\r?\n/)) {
    const match = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(?:"([^"]*)"|'([^']*)'|(.*?))\s*(?:#.*)?$/.exec(
      line,
    );
    if (match) values[match[1]!] = match[2] ?? match[3] ?? match[4] ?? '';
  }
  return values;
}

const projectEnvFile = fileURLToPath(new URL('../../.env', import.meta.url));

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
