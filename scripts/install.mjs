// Makes a fresh clone ready with nothing but Node and npm: installs the dependencies when they are missing or out of date.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** `development` asks for the tools of tests and benchmarks too. */
export function ensureInstalled({ development = false } = {}) {
  const [major] = process.versions.node.split('.').map(Number);
  if (major < 20) fail(`Siann needs Node.js 20 or newer; this is ${process.version}.`);
  const wanted = readPackages(join(root, 'package-lock.json'));
  if (!wanted) fail(`There is no readable package-lock.json in ${root}; clone the project again.`);
  if (isInstalled(wanted, development)) return;

  process.stderr.write('Installing dependencies and model weights (about 1 GB on disk, once) …\n');
  const result = runNpm(['ci', '--loglevel=error', ...(development ? ['--include=dev'] : [])]);
  if (result.error?.code === 'ENOENT') {
    fail('npm was not found. It comes with Node.js; put it on the PATH, or run `npm ci` yourself.');
  }
  if (result.error) fail(`npm could not be started: ${result.error.message}`);
  if (result.status !== 0) {
    fail('Installing failed; the lines above say why. With the network and the disk in order, try again.');
  }
}

/**
 * npm writes down what it has installed as its last act, so an interrupted installation counts as none. Packages for
 * other platforms are optional.
 */
function isInstalled(wanted, development) {
  const installed = readPackages(join(root, 'node_modules', '.package-lock.json'));
  if (!installed) return false;
  return Object.entries(wanted).every(([path, { version, integrity, dev, optional, devOptional }]) => {
    if (path === '' || optional || devOptional || (dev && !development)) return true;
    return installed[path]?.version === version && installed[path].integrity === integrity;
  });
}

function readPackages(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

/** What npm says goes to stderr: stdout may be a transcript. */
function runNpm(args) {
  const options = { cwd: root, stdio: ['ignore', 2, 2] };
  const running = process.env.npm_execpath;
  if (running?.endsWith('npm-cli.js')) return spawnSync(process.execPath, [running, ...args], options);
  return spawnSync('npm', args, { ...options, shell: process.platform === 'win32' });
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  ensureInstalled({ development: process.argv.includes('--development') });
