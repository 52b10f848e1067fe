import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { encoderParts } from '../../src/model/encoder-graph.ts';
import { fullContext } from '../../src/speech/heard-frames.ts';
import { createLogMel } from '../../src/speech/log-mel.ts';
import { decodeAll, fixture } from '../audio/fixtures.ts';
import { encodeFixture, openTiny, type TinyNetwork } from '../support/tiny-model.ts';

const frames = 250;
const heard = fullContext.slice(0, frames);
const mel = new Float32Array(80 * 2 * frames).fill(-1);
let network: TinyNetwork;
before(async () => {
  network = await openTiny(1);
});

test('something more urgent can come in between the parts of a window', async () => {
  let asked = 0;
  const encoded = await network.encoder.encode(mel, heard, async () => {
    asked++;
    await encodeFixture(network, 'speech.flac', frames); // another window, meanwhile
    return true;
  });
  assert.equal(asked, encoderParts(network.shape) - 1);
  assert(asked > 0);
  const undisturbed = await network.encoder.encode(mel, heard);
  assert.deepEqual(encoded, undisturbed);
});

test('a window that nobody wants any more is given up between its parts', async () => {
  assert.equal(await network.encoder.encode(mel, heard, async () => false), undefined);
});

test('a frame is heard where it lies in time, whichever others are heard and in whatever order', async () => {
  const speech = createLogMel()(await decodeAll(fixture('speech-16k.wav')), 2 * frames);
  const few = heard.filter((place) => place % 40 > 8);
  const forward = (await network.encoder.encode(speech, few))!;
  const backward = (await network.encoder.encode(speech, few.toReversed()))!;
  assert.equal(forward.frames, few.length);
  for (const [layer, keys] of forward.keys.entries()) {
    let [difference, size] = [0, 0];
    for (const [index, value] of keys.entries()) {
      const frame = index % few.length;
      const turned = backward.keys[layer]![index - frame + few.length - 1 - frame]!;
      difference += (value - turned) ** 2;
      size += value ** 2;
    }
    const error = Math.sqrt(difference / size);
    assert(error < 0.05, `layer ${layer} differs by ${error}`);
  }
});
