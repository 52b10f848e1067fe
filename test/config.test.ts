import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ConfigError, loadConfig, settingsSchema, settingsTable } from '../src/config.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

test('without settings the defaults hold, with data in the project folder', () => {
  assert.deepEqual(loadConfig({ PATH: '/bin' }), {
    dataFolder: resolve(root, 'data'),
    model: 'small',
    cacheFolder: resolve(root, 'data/models'),
    processes: 0,
    threads: 0,
    memoryLimitMegabytes: 1200,
  });
});

test('each setting is read, and the cache follows the data folder', () => {
  const config = loadConfig({
    SIANN_DATA: 'there',
    SIANN_MODEL: 'tiny',
    SIANN_PROCESSES: '2',
    SIANN_THREADS: '3',
    SIANN_MEMORY_LIMIT_MB: '900',
  });
  assert.equal(config.dataFolder, resolve('there'));
  assert.equal(config.cacheFolder, resolve('there/models'));
  assert.equal(config.model, 'tiny');
  assert.deepEqual([config.processes, config.threads, config.memoryLimitMegabytes], [2, 3, 900]);
  assert.equal(loadConfig({ SIANN_CACHE: '/cache' }).cacheFolder, '/cache');
});

test('the configuration cannot be changed', () => {
  assert.ok(Object.isFrozen(loadConfig({})));
});

test('every bad and unknown key is named at once, with its sentence', () => {
  const env = { SIANN_MODEL: 'huge', SIANN_THREADS: '-1', SIANN_PROCESSES: '1.5', SIANN_MODLE: 'tiny' };
  assert.throws(
    () => loadConfig(env),
    (error) => {
      assert.ok(error instanceof ConfigError);
      assert.deepEqual(
        error.problems.map((problem) => problem.key),
        Object.keys(env),
      );
      assert.match(
        error.message,
        /SIANN_MODEL: "huge" is not allowed\. The speech model.*One of: small, base, tiny\./,
      );
      assert.match(error.message, /SIANN_MODLE: unknown setting\./);
      return true;
    },
  );
});

test('numbers that only look like numbers are refused', () => {
  for (const value of ['two', '1e3', '0x10', ' 1', '257', 'true']) {
    assert.throws(() => loadConfig({ SIANN_THREADS: value }), ConfigError, value);
  }
});

test('an empty value counts as not set, and the benchmarks have settings of their own', () => {
  assert.equal(
    loadConfig({ SIANN_MODEL: '', SIANN_SPEECH: '/sets', SIANN_BENCH_MINUTES: '5' }).model,
    'small',
  );
});

test('every setting is required, has a default and says what it is for', () => {
  assert.deepEqual([...settingsSchema.required], Object.keys(settingsSchema.properties));
  for (const [key, schema] of Object.entries(settingsSchema.properties)) {
    assert.ok('default' in schema, key);
    assert.match(schema.description, /\.$/, key);
  }
});

test('docs/settings.md is what the schema says', () => {
  assert.equal(readFileSync(resolve(root, 'docs/settings.md'), 'utf8'), settingsTable());
});
