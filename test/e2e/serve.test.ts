import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { prepareTiny, testModels } from '../support/tiny-model.ts';

const program = fileURLToPath(new URL('../../bin/siann.mjs', import.meta.url));

let dataFolder: string;
before(async () => {
  await prepareTiny();
  dataFolder = await mkdtemp(join(tmpdir(), 'siann-serve-'));
});
after(() => rm(dataFolder, { recursive: true, force: true }));

test('the first start shows addresses, keys and a line to paste; the keys work, and SIGTERM ends it with 0', async () => {
  const started = start('start');
  const shown = await untilPrinted(started, /Stop with Ctrl-C/);
  const [live] = /https:\/\/localhost:\d+\/v1/.exec(shown)!;
  const [key] = /sk_live_[A-Za-z0-9]{32}/.exec(shown)!;
  assert.match(shown, /sk_test_[A-Za-z0-9]{32}/);
  const [, recording] =
    /curl --cacert \S+ca\.pem https:\S+\/audio\/transcriptions \\\n.*Bearer sk_test_.*\\\n.*-F file=@(\S+)/.exec(
      shown,
    )!;
  await access(recording!);
  const ca = await readFile(join(dataFolder, 'tls/ca.pem'), 'utf8');
  assert.equal(await status(`${live}/account`, ca, key), 200);
  assert.match(shown, /https:\/\/localhost:\d+\/console#\/setup\?link=\w{43}\n/);
  assert.equal(await status(live.replace('/v1', '/console'), ca, ''), 200);
  started.kill('SIGTERM');
  assert.deepEqual(await once(started, 'exit'), [0, null]);
});

test('a later start shows no keys, and how to make one; SIGHUP does not end it', async () => {
  const started = start('start');
  const shown = await untilPrinted(started, /Stop with Ctrl-C/);
  assert.doesNotMatch(shown, /sk_(live|test)_/);
  assert.match(shown, /npx siann keys create --project default --environment test/);
  started.kill('SIGHUP');
  const [live] = /https:\/\/localhost:\d+/.exec(shown)!;
  const ca = await readFile(join(dataFolder, 'tls/ca.pem'), 'utf8');
  assert.equal(await status(`${live}/healthz`, ca, ''), 200);
  started.kill('SIGINT');
  assert.deepEqual(await once(started, 'exit'), [0, null]);
});

test('what keeps it from starting is said in a sentence, with exit code 1', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  const file = join(dataFolder, 'a-file');
  await writeFile(file, '');
  const failures: [Record<string, string>, RegExp][] = [
    [{ SIANN_PORT: `${port}` }, /^Port \d+ is taken by another program\. .*\n$/],
    [{ SIANN_DATA: join(file, 'data') }, /^The database .* cannot be opened .*\n$/],
    [{ SIANN_TLS_CERT: file, SIANN_TLS_KEY: file }, /^The certificate in .* cannot be used together .*\n$/],
  ];
  for (const [env, sentence] of failures) {
    const failed = start('serve', env);
    const [complaint, [code]] = await Promise.all([text(failed.stderr!), once(failed, 'exit')]);
    assert.match(complaint, sentence);
    assert.equal(code, 1);
  }
  taken.close();
});

/** A service that a failed test leaves behind would keep this process from ending. */
const running: ChildProcess[] = [];
after(() => {
  for (const started of running) started.kill('SIGKILL');
});

function start(command: string, env: Record<string, string> = {}): ChildProcess {
  const started = spawn(process.execPath, [program, command], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      SIANN_DATA: dataFolder,
      SIANN_MODEL: 'tiny',
      SIANN_CACHE: testModels,
      SIANN_THREADS: '1',
      SIANN_PORT: '0',
      SIANN_TEST_PORT: '0',
      ...env,
    },
  });
  running.push(started);
  return started;
}

async function untilPrinted(child: ChildProcess, pattern: RegExp): Promise<string> {
  let printed = '';
  let complained = '';
  child.stderr!.on('data', (chunk) => {
    complained += chunk;
  });
  for await (const chunk of child.stdout!.iterator({ destroyOnReturn: false })) {
    printed += chunk;
    if (pattern.test(printed)) {
      child.stdout!.resume();
      return printed;
    }
  }
  throw new Error(`It ended after: ${printed}${complained}`);
}

async function status(url: string, ca: string, key: string): Promise<number | undefined> {
  const asked = request(url, { ca, headers: { authorization: `Bearer ${key}` }, agent: false }).end();
  const [response] = await once(asked, 'response');
  response.resume();
  return response.statusCode;
}
