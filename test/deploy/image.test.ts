import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { settings } from '../../src/settings/settings.ts';
import { startService } from '../support/service.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const text = readFileSync(join(root, 'Dockerfile'), 'utf8');
/** Instructions, each on one line. */
const instructions = text
  .replace(/^#.*\n/gm, '')
  .replace(/\\\n\s*/g, '')
  .split('\n')
  .filter(Boolean);
const final = instructions.slice(instructions.findLastIndex((line) => line.startsWith('FROM')));
const argumentsOf = (lines: string[], name: string) =>
  lines.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));

describe('the image', () => {
  test('is made of files that are there and that its context lets through', () => {
    const allowed = readFileSync(join(root, '.dockerignore'), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    const copied = argumentsOf(instructions, 'COPY').filter((line) => !line.startsWith('--from'));
    for (const source of copied.flatMap((line) => line.split(' ').slice(0, -1))) {
      assert.ok(existsSync(join(root, source)), source);
      assert.ok(
        allowed.some((path) => source === path || source.startsWith(`${path}/`)),
        source,
      );
    }
  });

  test('has all that the service imports', () => {
    const copied = new Set(argumentsOf(instructions, 'COPY').flatMap((line) => line.split(' ')));
    const outside = new Set<string>();
    for (const file of readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.ts')) continue;
      const source = readFileSync(join(root, 'src', file), 'utf8');
      for (const [, path] of source.matchAll(/(?:from|import\(|new URL\() ?'(\.\.?\/[^']*)'/g)) {
        const [folder] = join('src', file, '..', path!).split('/');
        if (folder && folder !== 'src' && folder !== '.') outside.add(folder);
      }
    }
    // A checkout's own settings stay out of it, and so does the recording that `siann start` greets with.
    const leftOut = ['.env', 'test'];
    for (const folder of outside) {
      const isThere = [...copied].some((path) => path === folder || path.startsWith(`${folder}/`));
      assert.ok(isThere || leftOut.includes(folder), folder);
    }
  });

  test('runs as nobody in particular, with settings that exist, and is asked whether it is ready', () => {
    assert.deepEqual(argumentsOf(final, 'USER'), ['10001:10001']);
    for (const [, name] of argumentsOf(final, 'ENV')
      .join(' ')
      .matchAll(/(SIANN_\w+)=/g))
      assert.ok(Object.hasOwn(settings, name!), name);
    const [check] = argumentsOf(final, 'HEALTHCHECK');
    const script = /CMD \["node", "\/app\/([^"]+)"\]/.exec(check!)?.[1];
    assert.ok(script && existsSync(join(root, script)));
    assert.deepEqual(argumentsOf(final, 'STOPSIGNAL'), ['SIGTERM']);
    assert.match(argumentsOf(instructions, 'ARG')[0]!, /^NODE_IMAGE=node:\d+\.\d+\.\d+-bookworm-slim$/);
  });

  test('is healthy when the service is ready, over HTTPS', async () => {
    await using running = await startService();
    assert.equal(await healthcheck({ SIANN_PORT: String(running.ports.live) }), 0);
  });

  test('is healthy over plain HTTP as a worker or behind a proxy, and not when it is not ready or away', async () => {
    let status = 200;
    const server = createServer((request, response) => {
      response.writeHead(request.url === '/readyz' ? status : 404).end();
    });
    const port = await listening(server);
    assert.equal(await healthcheck({ SIANN_PORT: port, SIANN_ROLE: 'worker' }), 0);
    assert.equal(await healthcheck({ SIANN_PORT: port, SIANN_TLS: 'proxy' }), 0);
    status = 503;
    assert.equal(await healthcheck({ SIANN_PORT: port, SIANN_ROLE: 'worker' }), 1);
    server.close();
    assert.equal(await healthcheck({ SIANN_PORT: port, SIANN_ROLE: 'worker' }), 1);
  });
});

async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return String((server.address() as AddressInfo).port);
}

async function healthcheck(env: Record<string, string>): Promise<number> {
  const script = join(root, 'deploy/image/healthcheck.mjs');
  const child = spawn(process.execPath, [script], { env, stdio: 'ignore' });
  const [code] = await once(child, 'exit');
  return code;
}
