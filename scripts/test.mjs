// `npm test`: installs when needed, then runs every test under test/. After `--` come files, folders, or options of `node --test`.
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { ensureInstalled, root } from './install.mjs';

/** One more than there are cores, since many tests wait; each may hold a gigabyte. */
const atOnce = Math.min(5, availableParallelism() + 1);

ensureInstalled({ development: true });
const given = process.argv.slice(2);
const options = given.filter((argument) => argument.startsWith('-'));
const named = given.filter((argument) => !argument.startsWith('-'));
const files = named.length > 0 ? named.flatMap(filesOf) : testFiles(join(root, 'test'));
// Options are those of `node --test`; without any, the files are begun in an order of our own.
const runner =
  options.length > 0
    ? ['--test', `--test-concurrency=${atOnce}`, '--test-reporter=spec', ...options]
    : [join(root, 'scripts', 'run-tests.mjs'), String(atOnce)];
const result = spawnSync(process.execPath, ['--import', 'tsx', ...runner, ...files], {
  cwd: root,
  stdio: 'inherit',
});
process.exit(result.status ?? 1);

function filesOf(name) {
  const path = resolve(root, name);
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ? testFiles(path) : [name];
}

function testFiles(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}
