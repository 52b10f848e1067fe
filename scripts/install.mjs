// Makes a fresh clone ready with nothing but Node and npm: installs the dependencies when they are missing or out of date.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

export function ensureInstalled() {
  const [major] = process.versions.node.split('.').map(Number);
  if (major < 20) fail(`Siann needs Node.js 20 or newer; this is ${process.version}.`);
  const stamp = join(root, 'node_modules', '.siann-lock');
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  process.stderr.write('Installing dependencies and model weights (about 1 GB on disk, once) …\n');
  const result = spawnSync('npm', ['ci', '--loglevel=error'], { cwd: root, stdio: ['ignore', 2, 2] });
  if (result.error) fail(`npm could not be started: ${result.error.message}`);
  if (result.status !== 0)
    fail('npm ci failed; the lines above say why. Run it again when the registry can be reached.');
  writeFileSync(stamp, wanted);
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
