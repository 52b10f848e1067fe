import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import wabt from 'wabt';
import { binary as resampler } from '../src/audio/resample/resampler-kernel.ts';
import { binary as samples } from '../src/audio/samples/sample-kernel.ts';
import { binary as lowRank } from '../src/model/weights/low-rank-product.ts';

const kernels = {
  'src/audio/resample/resampler-kernel.wat': resampler,
  'src/audio/samples/sample-kernel.wat': samples,
  'src/model/weights/low-rank-kernel.wat': lowRank,
};

for (const [path, binary] of Object.entries(kernels)) {
  test(`the code that is run is that of ${path}`, async () => {
    const { parseWat } = await wabt();
    const text = await readFile(new URL(`../${path}`, import.meta.url), 'utf8');
    const module = parseWat(path, text, { simd: true });
    const compiled = Buffer.from(module.toBinary({}).buffer).toString('base64');
    module.destroy();
    assert.equal(binary, compiled, `put these bytes into the file beside it: ${compiled}`);
  });
}
