import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runCommandLine } from '../../src/cli/run-command-line.ts';
import { environmentWithFiles, parseEnvFile } from '../../src/settings/environment-files.ts';
import { scriptedContext } from './scripted-context.ts';

const executable = fileURLToPath(new URL('../../bin/siann.mjs', import.meta.url));

test('the executable starts in any folder and answers with its version', async () => {
  const { code, stdout } = await siann(['--version']);
  assert.equal(code, 0);
  assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
});

test('an unknown command is a usage error', async () => {
  const { code, stderr } = await siann(['transcrbe']);
  assert.equal(code, 2);
  assert.equal(stderr, 'There is no command "transcrbe".\nSee: siann help\n');
});

test('a reader that goes away is not an error', async () => {
  const child = spawn(process.execPath, [executable, 'help'], { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.destroy();
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  assert.equal(stderr, '');
  assert.equal(code, 0);
});

test('help shows every command, or only the command that is named', async () => {
  const all = scriptedContext();
  assert.equal(await runCommandLine([], all), 0);
  for (const command of [
    'start',
    'serve',
    'transcribe',
    'projects',
    'keys',
    'plans',
    'usage',
    'models',
    'doctor',
  ])
    assert.match(all.printed(), new RegExp(`siann ${command}`));
  const one = scriptedContext();
  assert.equal(await runCommandLine(['transcribe', '--help'], one), 0);
  assert.match(one.printed(), /^siann transcribe FILE…/);
  assert.doesNotMatch(one.printed(), /siann doctor/);
});

test('bad settings stop a command and are all named', async () => {
  const context = scriptedContext({ env: { SIANN_MODEL: 'huge', SIANN_THREAD: '1' } });
  assert.equal(await runCommandLine(['transcribe', 'a.wav'], context), 2);
  assert.match(context.complained(), /SIANN_MODEL: "huge".*\n\s+SIANN_THREAD: unknown setting/);
});

test('an .env file gives values that the environment does not have', () => {
  const file = `# comment\nSIANN_MODEL=tiny # small machine\nexport SIANN_DATA="/srv/my data"\n\nSIANN_CACHE='/c'\r\nNOT A LINE\nEMPTY=`;
  assert.deepEqual(parseEnvFile(file), {
    SIANN_MODEL: 'tiny',
    SIANN_DATA: '/srv/my data',
    SIANN_CACHE: '/c',
    EMPTY: '',
  });
  assert.deepEqual(environmentWithFiles({ A: '1' }, ['/nonexistent/.env']), { A: '1' });
});

async function siann(args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [executable, ...args], {
    cwd: tmpdir(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  return { code, stdout, stderr };
}
