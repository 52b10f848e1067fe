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
      const context = shortContext(audioSeconds);
      const end = Math.ceil(audioSeconds * framesPerSecond);
      const spoken = fullContext.slice(lead, end);
      assert.deepEqual(
        context.filter((position) => position >= lead && position < end),
        spoken,
      );
      const silent = context.length - spoken.length;
      assert(silent <= 8 && (silent === 8 || end + 50 > fullContextFrames), `${silent} frames of silence`);
    }),
  );
});

test('positions of a short context rise, within 30 s, from the start to a second after the speech', () => {
  fc.assert(
    fc.property(seconds, (audioSeconds) => {
      const context = shortContext(audioSeconds);
      assert.equal(context[0], 0);
      assert(context.every((position, index) => index === 0 || position > context[index - 1]!));
      assert(context.at(-1)! < fullContextFrames);
      const after = context.at(-1)! / framesPerSecond - audioSeconds;
      assert(audioSeconds > 29 || (after > 0.95 && after < 1.01), `${after} s after the speech`);
    }),
  );
});

test('frames are counted up to a position, whether or not the frame there belongs to the context', () => {
  const context = [0, 7, 14, 19, 20, 21];
  assert.deepEqual(
    [0, 1, 7, 8, 20, 22, 99].map((position) => framesBefore(context, position)),
    [0, 1, 1, 2, 4, 6, 6],
  );
});
