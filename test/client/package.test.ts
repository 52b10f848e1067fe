import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));

test('the published client runs in plain Node.js, without any package', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'siann-client-'));
  try {
    await run(join(root, 'node_modules/.bin/tsc'), ['-p', join(root, 'client'), '--outDir', folder]);
    const { exports } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    assert.equal(exports['./client'].default, './dist/client/siann.js');
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    const program = `
      const { Siann, SiannError } = await import('./client/siann.js');
      const siann = new Siann({ apiKey: 'sk_test_0', baseUrl: 'http://127.0.0.1:9/v1', maxRetries: 0 });
      const error = await siann.account().catch((error) => error);
      console.log(error instanceof SiannError, error.name);`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], { cwd: folder });
    assert.equal(stdout, 'true CONNECTION_FAILED\n');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
