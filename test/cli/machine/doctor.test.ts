import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { examine } from '../../../src/cli/machine/doctor.ts';
import {
  checkDataFolder,
  checkMemory,
  checkNode,
  checkPlatform,
  checkSettings,
  describeProcessor,
} from '../../../src/cli/machine/doctor-checks.ts';
import { runCommandLine } from '../../../src/cli/run-command-line.ts';
import { loadConfig } from '../../../src/settings/config.ts';
import { settingsPage } from '../../../src/settings/settings-page.ts';
import { scriptedContext } from '../scripted-context.ts';

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'siann-doctor-'));
});
after(() => rm(folder, { recursive: true }));

const healthy = { name: 'Air', run: async () => ({ ok: true, sentence: 'plenty.' }) };
const ill = { name: 'Water', run: async () => ({ ok: false, sentence: 'none. Bring some.' }) };
const broken = { name: 'Fire', run: () => Promise.reject(new Error('it went out.')) };

test('every check is reported, and any that fails makes the exit code 1', async () => {
  const context = scriptedContext();
  assert.equal(await examine([], context, [ill, broken, healthy]), 1);
  assert.equal(context.printed(), '✗ Water: none. Bring some.\n✗ Fire: it went out.\n✓ Air: plenty.\n');
  assert.equal(await examine([], scriptedContext(), [healthy]), 0);
});

test('--json prints one check a line', async () => {
  const context = scriptedContext();
  await examine(['--json'], context, [healthy]);
  assert.deepEqual(JSON.parse(context.printed()), { name: 'Air', ok: true, sentence: 'plenty.' });
});

test('--settings prints the settings', async () => {
  const context = scriptedContext();
  assert.equal(await runCommandLine(['doctor', '--settings'], context), 0);
  assert.equal(context.printed(), settingsPage());
});

test('the checks of this machine all run and say something', async () => {
  const context = scriptedContext({ env: { SIANN_DATA: join(folder, 'data') } });
  const code = await runCommandLine(['doctor', '--json'], context);
  const results = context
    .printed()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.equal(code, results.every((result) => result.ok) ? 0 : 1);
  assert.ok(results.length >= 9);
  for (const { name, ok, sentence } of results) {
    assert.match(sentence, /\.$/, name);
    if (['Node.js', 'Platform', 'Settings', 'Packages', 'Inference engine', 'Data folder'].includes(name))
      assert.ok(ok, sentence);
  }
});

test('a failed check says what to do', async () => {
  assert.match(checkNode('18.1.0').sentence, /Install Node\.js 20/);
  assert.match(checkPlatform('sunos', 'x64').sentence, /Use Linux/);
  assert.match(checkSettings(() => loadConfig({ SIANN_MODEL: 'x' })).sentence, /SIANN_MODEL/);
  assert.match(checkMemory(500 * 2 ** 20, 1200).sentence, /500 MB free.*SIANN_MODEL=base/);
  assert.match(describeProcessor(new Set(['sse2'])).sentence, /slow/);
  assert.match(describeProcessor(new Set(['avx2', 'amx_int8'])).sentence, /with AMX, AVX2/);
  const file = join(folder, 'not-a-folder');
  await writeFile(file, '');
  assert.match((await checkDataFolder(join(file, 'data'))).sentence, /Set SIANN_DATA/);
});
