// `npm test`: installs when needed, then runs every test under test/. After `--` come files, folders, or options of `node --test`.
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ensureInstalled, root } from './install.mjs';

ensureInstalled({ development: true });
const given = process.argv.slice(2);
const options = given.filter((argument) => argument.startsWith('-'));
const named = given.filter((argument) => !argument.startsWith('-'));
const files = named.length > 0 ? named.flatMap(filesOf) : testFiles(join(root, 'test'));
const result = spawnSync(
  process.execPath,
  ['--import', 'tsx', '--test', '--test-concurrency=2', '--test-reporter=spec', ...options, ...files],
  { cwd: root, stdio: 'inherit' },
);
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
