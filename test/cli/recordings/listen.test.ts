import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { lastColumns } from '../../../src/cli/recordings/captions.ts';
import { runCommandLine } from '../../../src/cli/run-command-line.ts';
import { startService, type TestService } from '../../support/service.ts';
import { silence } from '../../support/stream-client.ts';
import { type Script, scriptedContext } from '../scripted-context.ts';

let service: TestService;
before(async () => {
  service = await startService();
});
after(() => service[Symbol.asyncDispose]());

const recording = fileURLToPath(new URL('../../fixtures/audio/speech-opus.webm', import.meta.url));

function contextOf(script: Script = {}, stdin?: AsyncIterable<Uint8Array>) {
  const env = {
    SIANN_DATA: service.dataFolder,
    SIANN_PORT: String(service.ports.live),
    SIANN_TEST_PORT: String(service.ports.test),
    SIANN_API_KEY: service.keys.live,
    ...script.env,
  };
  const context = scriptedContext({ ...script, env });
  return Object.assign(context, stdin && { stdin });
}

async function* piped(...chunks: Uint8Array[]) {
  yield* chunks;
}

test('a file is played at the speed of speech to the service of the data folder', async () => {
  const context = contextOf();
  const startedAt = performance.now();
  assert.equal(await runCommandLine(['listen', recording, '--language', 'en-US'], context), 0);
  assert.equal(context.printed(), 'word0 word1 word2 word3\n');
  assert.equal(context.complained(), '');
  const seconds = (performance.now() - startedAt) / 1000;
  assert.ok(seconds > 3.5, `${seconds} s for 3.7 s of speech`);
});

test('standard input is LINEAR16, and the key decides the environment', async () => {
  const context = contextOf({ env: { SIANN_API_KEY: service.keys.test } }, piped(silence(0.3), silence(0.4)));
  assert.equal(await runCommandLine(['listen', '--json'], context), 0);
  const events = context
    .printed()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.equal(events[0].type, 'session.begin');
  assert.deepEqual(events.at(-1), {
    type: 'session.end',
    reason: 'closed_by_client',
    audio_seconds: 0.7,
    billed_seconds: 0.7,
  });
});

test('on a terminal, a partial is shown in grey until it is final', async () => {
  const context = contextOf({ terminal: true }, piped(silence(0.6)));
  assert.equal(
    await runCommandLine(['listen', '-'], Object.assign(context, { stdin: piped(silence(0.6)) })),
    0,
  );
  assert.equal(context.printed(), '\r\u001B[K\u001B[90mword0\u001B[0m\r\u001B[Kword0\n');
});

test('Ctrl-C ends the command after the last words', async () => {
  const controller = new AbortController();
  async function* endless() {
    yield silence(0.6);
    await sleep(60_000, undefined, { ref: false });
  }
  const context = contextOf({ signal: controller.signal }, endless());
  setTimeout(() => controller.abort(new Error('Interrupted.')), 900);
  assert.equal(await runCommandLine(['listen'], context), 0);
  assert.equal(context.printed(), 'word0\n');
});

test('a service that is restarted meanwhile recognises everything, once', async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'siann-listen-'));
  let running = await startService({ dataFolder });
  const { ports, keys } = running;
  const env = { SIANN_DATA: dataFolder, SIANN_PORT: String(ports.live), SIANN_API_KEY: keys.live };
  const restart = async () => {
    await running[Symbol.asyncDispose]();
    running = await startService({ dataFolder, env: { SIANN_PORT: String(ports.live) } });
  };
  const context = contextOf({ env }, piped(silence(4.6)));
  const { stdout } = context;
  let restarted: Promise<void> | undefined;
  const write = (text: string) => {
    stdout.write(text);
    if (JSON.parse(text).type === 'transcript') restarted ??= restart();
  };
  const exitCode = await runCommandLine(['listen', '--json'], Object.assign(context, { stdout: { write } }));
  await restarted;
  await running[Symbol.asyncDispose]();
  await rm(dataFolder, { recursive: true, force: true });

  assert.equal(exitCode, 0, context.complained());
  const events = context
    .printed()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.ok(events.some(({ type }) => type === 'connection.restored'));
  const finals = events.filter(({ is_final }) => is_final);
  assert.deepEqual(
    finals.map(({ text }) => text),
    ['word0 word1 word2 word3', 'word4'],
  );
  assert.equal(events.at(-1).audio_seconds, 4.6);
});

test('every failure is explained in a sentence', async () => {
  const cases: [args: string[], env: Record<string, string>, code: number, sentence: RegExp][] = [
    [[recording], { SIANN_API_KEY: '' }, 2, /--key or SIANN_API_KEY/],
    [[recording, '--key', `sk_live_${'a'.repeat(32)}`], {}, 1, /API key is missing or not valid/],
    [[recording, '--url', 'https://localhost:9/v1'], {}, 1, /Nothing listens at https:\/\/localhost:9\/v1/],
    [[recording, '--url', 'localhost'], {}, 2, /base address/],
    [[recording, '--url', 'https://no-such-machine.invalid/v1'], {}, 1, /no machine|cannot be reached/],
    [[recording, '--language', 'fr'], {}, 2, /--language is one of/],
    [[recording, '--ca', '/no/such/file'], {}, 1, /cannot be read/],
    [['/no/such/file.wav'], {}, 1, /there is no such file/],
    [[recording, recording], {}, 2, /one file at a time/],
    [[fileURLToPath(import.meta.url)], {}, 1, /not audio that can be read/],
    [[recording, '--url', `https://localhost:${service.ports.live}/v2`], {}, 1, /nothing at this address/],
  ];
  for (const [args, env, code, sentence] of cases) {
    const context = contextOf({ env });
    assert.equal(await runCommandLine(['listen', ...args], context), code, args.join(' '));
    assert.match(context.complained(), sentence);
  }
  const untrusted = contextOf({ env: { SIANN_DATA: '/no/such/folder' } });
  assert.equal(await runCommandLine(['listen', recording], untrusted), 1);
  assert.match(untrusted.complained(), /not trusted.*--ca/);
  const atTerminal = contextOf({ terminal: true });
  assert.equal(await runCommandLine(['listen'], atTerminal), 2);
  assert.match(atTerminal.complained(), /arecord/);
});

test('a partial never wraps: its end is shown', () => {
  assert.equal(lastColumns('abcdef', 4), 'cdef');
  assert.equal(lastColumns('今天天氣', 5), '天氣');
  assert.equal(lastColumns('short', 80), 'short');
});
