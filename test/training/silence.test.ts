import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { framesPerSecond } from '../../src/model/whisper-shape.ts';
import { shortContext } from '../../src/speech/inference/features/context-frames.ts';
import { leadSeconds } from '../../src/speech/inference/window-lead.ts';

const speechSeconds = 2;
const begin = leadSeconds * framesPerSecond;
const end = begin + speechSeconds * framesPerSecond;

test('the frames of silence that are heard are those with which the adapter was trained', async () => {
  const script = await readFile(new URL('../../training/silence.py', import.meta.url), 'utf8');
  const trained = (name: string) =>
    new RegExp(`^${name} = \\((.+)\\)$`, 'm').exec(script)?.[1]?.split(', ').map(Number);
  const heard = shortContext(leadSeconds + speechSeconds);
  assert.deepEqual(
    heard.filter((place) => place < begin).map((place) => begin - place),
    trained('BEFORE'),
  );
  assert.deepEqual(
    heard.filter((place) => place >= end).map((place) => place - end),
    trained('AFTER'),
  );
});
