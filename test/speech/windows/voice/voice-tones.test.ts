import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isMadeOfTones } from '../../../../src/speech/windows/voice/voice-tones.ts';
import { readFixture, silence, toneMusic, whiteNoise } from '../../voice-sounds.ts';

test('chords and melodies are tones', () => {
  const music = toneMusic(30);
  for (const second of [1, 5, 12, 17, 21, 24, 27]) {
    assert(isMadeOfTones(music.subarray(second * 16_000, (second + 2) * 16_000)), `at ${second} s`);
  }
});

test('voices, noise and silence are not', async () => {
  for (const name of [
    'two-sentences.flac',
    'speech.flac',
    'synthetic-voice.flac',
    'speech-8k-mulaw.wav',
    'speech-22k-vbr.mp3',
  ]) {
    assert(!isMadeOfTones(await readFixture(name)), name);
  }
  assert(!isMadeOfTones(whiteNoise(2, -30)));
  assert(!isMadeOfTones(silence(2)));
  assert(!isMadeOfTones(silence(0.01)));
});
