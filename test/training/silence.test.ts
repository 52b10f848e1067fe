import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { framesPerSecond } from '../../src/model/whisper-shape.ts';
import { shortContext } from '../../src/speech/inference/features/context-frames.ts';
import { leadSeconds } from '../../src/speech/inference/window-lead.ts';

const speechSeconds = 2;
const begin = leadSeconds * framesPerSecond;
const end = begin + speechSeconds * framesPerSecond;

test('the frames of silence in a short context are those with which the adapter was trained', async () => {
  const script = await readFile(new URL('../../training/silence.py', import.meta.url), 'utf8');
  const trained = (name: string) =>
    new RegExp(`^${name} = \\((.+)\\)$`, 'm').exec(script)?.[1]?.split(', ').map(Number);
  const context = shortContext(leadSeconds + speechSeconds);
  assert.deepEqual(
    context.filter((position) => position < begin).map((position) => begin - position),
    trained('BEFORE'),
  );
  assert.deepEqual(
    context.filter((position) => position >= end).map((position) => position - end),
    trained('AFTER'),
  );
});
