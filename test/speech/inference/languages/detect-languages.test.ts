import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fullContext } from '../../../../src/speech/inference/features/context-frames.ts';
import { detectLanguages } from '../../../../src/speech/inference/languages/detect-languages.ts';
import type { WhisperDecoder } from '../../../../src/speech/inference/network/whisper-decoder.ts';
import { aWindow } from '../../a-window.ts';
import { smallVocabulary, vocabularySize } from '../../small-vocabulary.ts';

type Evidence = { zh: number; en: number; nan: number };
const oneStretch = [{ startSeconds: 0.4, endSeconds: 2.5 }];
const twoStretches = [
  { startSeconds: 0.4, endSeconds: 1.4 },
  { startSeconds: 1.9, endSeconds: 2.9 },
];

test('Mandarin that sounds a little like Taiwanese is Mandarin', async () => {
  assert.deepEqual(await detected(oneStretch, [{ zh: -1.8, en: -9, nan: -0.2 }]), ['zh']);
  assert.deepEqual(await detected(oneStretch, [{ zh: -3, en: -9, nan: -0.1 }]), ['nan']);
});

test('English that sounds a little like Taiwanese is English', async () => {
  assert.deepEqual(await detected(oneStretch, [{ zh: -9, en: -0.1, nan: -2.3 }]), ['en']);
});

test('Taiwanese beside Mandarin in one window is told from it by its own stretch', async () => {
  const whole = { zh: -1.5, en: -9, nan: -0.4 };
  const stretches = [
    { zh: -0.1, en: -9, nan: -5 },
    { zh: -3, en: -9, nan: -0.2 },
  ];
  assert.deepEqual(await detected(twoStretches, [whole, ...stretches]), ['zh', 'nan']);
});

test('a model that has not learnt Taiwanese never finds it', async () => {
  assert.deepEqual(await detected(oneStretch, [{ zh: -8, en: -9, nan: -0.1 }], { adapted: false }), ['zh']);
});

test('a caller who says what is spoken is believed', async () => {
  const options = { language: 'nan-TW' } as const;
  assert.deepEqual(await detected(oneStretch, [{ zh: -0.1, en: -9, nan: -6 }], options), ['nan']);
});

/** The languages that are found when the network says this of the window and of each of its stretches. */
async function detected(
  speech: typeof oneStretch,
  evidence: readonly Evidence[],
  { adapted = true, language = 'mixed' as 'mixed' | 'nan-TW' } = {},
): Promise<string[]> {
  const probe: WhisperDecoder['probe'] = async (_, __, stretches) => {
    const answers = new Float32Array(stretches.length * vocabularySize).fill(-30);
    for (const index of stretches.keys())
      for (const each of ['zh', 'en', 'nan'] as const)
        answers[index * vocabularySize + smallVocabulary.languages[each]] = evidence[index]![each];
    return answers;
  };
  const network = {
    decoder: { probe } as WhisperDecoder,
    vocabulary: smallVocabulary,
    vocabularySize,
    adapted,
  };
  const { languages } = await detectLanguages(network, 0, { ...aWindow, language, speech }, fullContext);
  return languages.map((each) => each.language);
}
