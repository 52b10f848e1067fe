import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printModels } from '../../../src/cli/machine/models.ts';
import type { ModelListing } from '../../../src/model/list-models.ts';
import { scriptedContext } from '../scripted-context.ts';

const small = listing({ id: 'small', prepared: true, bytesOnDisk: 166_000_000, memoryBytes: 900_000_000 });
const tiny = listing({ id: 'tiny', installed: false });

test('the models are listed with state and cost, and the one in use is marked', async () => {
  const context = scriptedContext();
  assert.equal(await printModels([], context, async () => [small, tiny]), 0);
  assert.equal(
    context.printed(),
    [
      'model    package            state                      on disk  in memory',
      'small *  sts-whisper 1.0.0  ready                      166 MB   900 MB',
      'tiny     sts-whisper 1.0.0  not installed: run npm ci  0 MB     0 MB',
      '* in use; SIANN_MODEL chooses another.',
      '',
    ].join('\n'),
  );
});

test('a model without the weights it was prepared from, as in an image, is ready', async () => {
  const context = scriptedContext();
  const prepared = listing({ id: 'small', installed: false, prepared: true });
  await printModels([], context, async () => [prepared]);
  assert.match(context.printed(), /^small .* ready /m);
});

test('--json prints one model a line', async () => {
  const context = scriptedContext();
  await printModels(['--json'], context, async () => [small, tiny]);
  assert.deepEqual(
    context
      .printed()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
    [small, tiny],
  );
});

function listing(given: Partial<ModelListing>): ModelListing {
  const blank = {
    id: 'base' as const,
    packageName: 'sts-whisper',
    version: '1.0.0',
    bytesOnDisk: 0,
    memoryBytes: 0,
  };
  return { ...blank, installed: true, prepared: false, ...given };
}
