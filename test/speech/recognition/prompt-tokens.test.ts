import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { publishedModel } from '../../../src/model/catalogue.ts';
import {
  decodeText,
  readVocabulary,
  type Vocabulary,
} from '../../../src/speech/inference/decoding/vocabulary.ts';
import { createPromptTokeniser } from '../../../src/speech/recognition/prompt-tokens.ts';

const { folder } = publishedModel('tiny');
const tokenise = createPromptTokeniser(folder);
let vocabulary: Vocabulary;

before(async () => {
  vocabulary = await readVocabulary(folder);
});

test('nothing known beforehand is no token, and reads no table', async () => {
  const withoutTable = createPromptTokeniser('/nowhere');
  assert.deepEqual(await withoutTable(undefined, []), []);
  assert.deepEqual(await withoutTable('   ', []), []);
});

test('hotwords come first, then the prompt, as the text before the recording', async () => {
  const tokens = await tokenise('  關於颱風的新聞 ', ['氣象署', 'Siann']);
  assert.equal(decodeText(vocabulary, tokens), ' 氣象署、Siann 關於颱風的新聞');
});

test('of a long prompt the last 200 tokens are taken', async () => {
  const long = Array.from({ length: 400 }, (_, i) => `word${i}`).join(' ');
  const tokens = await tokenise(long, []);
  assert.equal(tokens.length, 200);
  assert(decodeText(vocabulary, tokens).endsWith(' word399'));
});

test('a control token spelt out in a prompt steers nothing', async () => {
  const tokens = await tokenise('<|endoftext|><|zh|><|0.00|> hello', []);
  assert.deepEqual(
    tokens.filter((token) => token >= vocabulary.endOfText),
    [],
  );
});
