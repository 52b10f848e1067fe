import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { encoderParts } from '../../../../src/model/graphs/encoder-graph.ts';
import { fullContext } from '../../../../src/speech/inference/features/context-frames.ts';
import { encodeFixture, openTiny, type TinyNetwork } from '../../../support/tiny-model.ts';

const frames = 250;
const positions = fullContext.slice(0, frames);
const features = new Float32Array(80 * 2 * frames).fill(-1);
let network: TinyNetwork;
before(async () => {
  network = await openTiny(1);
});

test('something more urgent can come in between the parts of a window', async () => {
  let asked = 0;
  const encoded = await network.encoder.encode(features, positions, async () => {
    asked++;
    await encodeFixture(network, 'speech.flac', frames); // another window, meanwhile
    return true;
  });
  assert.equal(asked, encoderParts(network.shape) - 1);
  assert(asked > 0);
  const undisturbed = await network.encoder.encode(features, positions);
  assert.deepEqual(encoded, undisturbed);
});

test('a window that nobody wants any more is abandoned between its parts', async () => {
  assert.equal(await network.encoder.encode(features, positions, async () => false), undefined);
});
