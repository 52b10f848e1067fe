import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pcmSampleRate } from '../../../src/audio/pcm.ts';
import { packAudio } from '../../../src/audio/samples/packed-audio.ts';
import { withLead } from '../../../src/speech/inference/window-lead.ts';
import { aWindow } from '../a-window.ts';

const audio = Float32Array.from({ length: pcmSampleRate }, (_, index) => Math.sin(index / 9));
const window = { ...aWindow, audio };

test('a window that arrives packed is unpacked, and gets the same silence before it as any other', () => {
  const here = withLead(window).audio;
  const { samples, fullScale } = packAudio(audio);
  const arrived = { ...window, audio: { samples: samples.slice(), fullScale } };
  // One after the other: what was unpacked for the first must not be what the second is unpacked over.
  const [first, second] = [withLead(arrived).audio, withLead({ ...arrived }).audio];
  for (const there of [first, second]) {
    assert.equal(there.length, here.length);
    assert.ok(there.every((sample, index) => Math.abs(sample - here[index]!) < 1 / 32_767));
  }
  assert.notEqual(first.buffer, second.buffer);
  assert.ok(here.findIndex((sample) => sample !== 0) >= 0.4 * pcmSampleRate);
});
