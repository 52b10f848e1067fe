// `npm run check:nodes`: every test on every version of Node.js that is supported, one after another, with a summary at the end.
// `npm run check:nodes -- 22 24 -- test/audio` runs some tests on some versions.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from './install.mjs';

/** The newest of each supported line when this was written; raise them together with the image's (Dockerfile). */
export const versions = { 20: '20.20.2', 22: '22.23.3', 24: '24.21.0' };

/** Versions, then after `--` what `npm test` is given. */
export function readArguments(given) {
  const at = given.indexOf('--');
  const asked = at < 0 ? given : given.slice(0, at);
  const unknown = asked.filter((major) => !(major in versions));
  if (unknown.length > 0)
    throw new Error(
      `${unknown.join(', ')}: expected ${Object.keys(versions).join(', ')}. Files to test come after another --.`,
    );
  return {
    majors: asked.length > 0 ? asked : Object.keys(versions),
    tests: at < 0 ? [] : given.slice(at + 1),
  };
}

/** What the test runner counted, from the last lines that it printed. */
export function readCounts(output) {
  const count = (name) => Number(output.match(new RegExp(`^ℹ ${name} (\\d+)$`, 'm'))?.[1] ?? 0);
  return { passed: count('pass'), failed: count('fail') + count('cancelled'), skipped: count('skipped') };
}

/** The path of that version: this process's own where it is the same, otherwise from npm's packages of the binaries, without install scripts. */
function findNode(version) {
  if (process.versions.node === version) return process.execPath;
  const folder = join(root, '.cache', 'nodes', version);
  const name = `node-${process.platform}-${process.arch}`;
  const path = join(folder, 'node_modules', name, 'bin', 'node');
  if (existsSync(path)) return path;
  console.error(`Fetching Node.js ${version} (npm package ${name}) …`);
  mkdirSync(folder, { recursive: true });
  const options = [
    'install',
    '--prefix',
    folder,
    '--no-save',
    '--ignore-scripts',
    '--loglevel=error',
    '--no-audit',
  ];
  const { status } = spawnSync('npm', [...options, `${name}@${version}`], { stdio: ['ignore', 2, 2] });
  if (status !== 0 || !existsSync(path)) throw new Error(`${name}@${version} could not be installed.`);
  return path;
}

/** Runs the tests and shows what they print. */
async function runTests(node, tests) {
  const started = Date.now();
  // Programs that the tests start by name run on the same version.
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
  const child = spawn(node, [join(root, 'scripts', 'test.mjs'), ...tests], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let tail = '';
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    process.stdout.write(chunk);
    tail = (tail + chunk).slice(-100_000);
  }
  const status = child.exitCode ?? (await new Promise((resolve) => child.once('exit', resolve)));
  return { status, seconds: Math.round((Date.now() - started) / 1000), ...readCounts(tail) };
}

async function main() {
  const { majors, tests } = readArguments(process.argv.slice(2));
  const lines = [];
  let failed = false;
  for (const [index, major] of majors.entries()) {
    const version = versions[major];
    const node = findNode(version);
    console.log(`\n== Node.js ${version} (${index + 1} of ${majors.length})`);
    const result = await runTests(node, tests);
    failed ||= result.status !== 0;
    const verdict = result.status === 0 ? 'passed' : 'FAILED';
    lines.push(
      `Node.js ${version.padEnd(9)} ${verdict}  ${result.passed} passed, ${result.failed} failed, ${result.skipped} skipped, ${result.seconds} s`,
    );
    console.log(`\n${lines.join('\n')}`);
  }
  process.exit(failed ? 1 : 0);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main().catch((error) => {
    console.error(error.message);
    process.exit(2);
  });
}
