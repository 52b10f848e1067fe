import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { framesPerSecond, fullContextFrames } from '../../../../src/model/whisper-shape.ts';
import {
  framesBefore,
  fullContext,
  shortContext,
} from '../../../../src/speech/inference/features/context-frames.ts';
import { leadSeconds } from '../../../../src/speech/inference/window-lead.ts';

const lead = leadSeconds * framesPerSecond;
const seconds = fc.double({ min: leadSeconds + 0.02, max: 30, noNaN: true });

test('a short context is all of the speech and eight frames of the silence around it', () => {
  fc.assert(
    fc.property(seconds, (audioSeconds) => {
      const heard = shortContext(audioSeconds);
      const end = Math.ceil(audioSeconds * framesPerSecond);
      const spoken = fullContext.slice(lead, end);
      assert.deepEqual(
        heard.filter((place) => place >= lead && place < end),
        spoken,
      );
      const silent = heard.length - spoken.length;
      assert(silent <= 8 && (silent === 8 || end + 50 > fullContextFrames), `${silent} frames of silence`);
    }),
  );
});

test('places of a short context rise, within 30 s, from the start to a second after the speech', () => {
  fc.assert(
    fc.property(seconds, (audioSeconds) => {
      const heard = shortContext(audioSeconds);
      assert.equal(heard[0], 0);
      assert(heard.every((place, index) => index === 0 || place > heard[index - 1]!));
      assert(heard.at(-1)! < fullContextFrames);
      const after = heard.at(-1)! / framesPerSecond - audioSeconds;
      assert(audioSeconds > 29 || (after > 0.95 && after < 1.01), `${after} s after the speech`);
    }),
  );
});

test('frames are counted up to a place in time, whether that one is heard or not', () => {
  const heard = [0, 7, 14, 19, 20, 21];
  assert.deepEqual(
    [0, 1, 7, 8, 20, 22, 99].map((place) => framesBefore(heard, place)),
    [0, 1, 1, 2, 4, 6, 6],
  );
});
