import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Command, commandLine, definingOptions } from '../../bench/options.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const command: Command = {
  script: 'bench:cluster',
  figuresFolder: undefined,
  environment: ['SIANN_THREADS=1'],
  given: [
    { name: 'workers', text: '--workers 1,2', selects: true },
    { name: 'windows', text: '--windows 200', selects: false },
    { name: 'model', text: '--model base', selects: false },
  ],
  checks: { scale: ['workers'], window: ['windows'], outage: [] },
};

test('a row says which command measures it alone, without the options of other checks', () => {
  assert.equal(
    commandLine(command, 'scale'),
    'SIANN_THREADS=1 npm run bench:cluster -- --only scale --workers 1,2 --model base',
  );
  assert.equal(
    commandLine(command, 'outage'),
    'SIANN_THREADS=1 npm run bench:cluster -- --only outage --model base',
  );
});

test('options that only choose among rows do not make another row', () => {
  assert.equal(definingOptions(command, 'scale'), 'SIANN_THREADS=1 --model base');
  assert.equal(definingOptions(command, 'window'), 'SIANN_THREADS=1 --windows 200 --model base');
});

test('with the usual options a row has none', () => {
  const plain = { ...command, environment: [], given: [] };
  assert.equal(definingOptions(plain, 'scale'), undefined);
  assert.equal(commandLine({ ...plain, script: 'chaos', checks: undefined }, 'chaos'), 'npm run chaos');
});

test('a command explains its options with --help', () => {
  const { stdout, status } = run('bench/accuracy.ts', '--help');
  assert.equal(status, 0);
  assert.match(stdout, /--no-figures/);
  assert.doesNotMatch(stdout, /undefined/);
});

test('an option that a command does not have is refused with those that it has', () => {
  const { stderr, status } = run('bench/speed.ts', '--engine', 'siann');
  assert.equal(status, 2);
  assert.match(stderr, /Options: --engines, .*--no-figures/);
});

function run(script: string, ...options: string[]) {
  return spawnSync(process.execPath, ['--import', 'tsx', script, ...options], {
    cwd: root,
    encoding: 'utf8',
  });
}
