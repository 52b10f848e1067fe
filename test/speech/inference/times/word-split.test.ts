import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import { publishedModel } from '../../../../src/model/catalogue.ts';
import {
  decodeText,
  readVocabulary,
  type Vocabulary,
} from '../../../../src/speech/inference/decoding/vocabulary.ts';
import { splitWords } from '../../../../src/speech/inference/times/word-split.ts';
import { createPromptTokeniser } from '../../../../src/speech/recognition/prompt-tokens.ts';

const { folder } = publishedModel('tiny');
const tokenise = createPromptTokeniser({ modelFolder: folder, usedBytes: 2000 });
let vocabulary: Vocabulary;

before(async () => {
  vocabulary = await readVocabulary(folder);
});

test('Latin script is split at spaces, with punctuation left to the word before it', async () => {
  assert.deepEqual(await split("Well, it's nine o'clock - unbelievably late!"), [
    ' Well,',
    " it's",
    ' nine',
    " o'clock",
    ' -',
    ' unbelievably',
    ' late!',
  ]);
});

test('Chinese is split into characters, with punctuation left to the one before it', async () => {
  assert.deepEqual(trimmed(await split('颱風，豪雨！')), ['颱', '風，', '豪', '雨！']);
});

test('a common Chinese word that is one token stays one word', async () => {
  assert.deepEqual(trimmed(await split('我們沒有雨')), ['我們', '沒有', '雨']);
});

test('where scripts meet, a new word begins', async () => {
  assert.deepEqual(trimmed(await split('用iPhone拍')), ['用', 'iPhone', '拍']);
});

test('a character whose bytes are spread over several tokens is whole', async () => {
  for (const character of ['𪜶', '𠢕', '颱', '😀']) {
    const tokens = await tokenise(`x${character}y`, []);
    assert(!tokens.some((token) => decodeText(vocabulary, [token]).includes(character)));
    const words = splitWords(vocabulary, tokens);
    assert(
      words.some(({ text }) => text.includes(character)),
      character,
    );
  }
});

test('a character that is cut off at the end is dropped from the text, not from the tokens', async () => {
  const tokens = await tokenise('好𪜶', []);
  const words = splitWords(vocabulary, tokens.slice(0, -1));
  assert.equal(
    words
      .map(({ text }) => text)
      .join('')
      .trim(),
    '好',
  );
  assert.deepEqual(
    words.flatMap((word) => word.tokens),
    tokens.slice(0, -1),
  );
});

test('the words of any text are that text and hold each token once, in order', async () => {
  const piece = fc.constantFrom(
    '我',
    '們',
    '𪜶',
    ' the',
    'ing',
    ' 9',
    '，',
    '.',
    ' ',
    '…',
    'é',
    '😀',
    '「',
    'A',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 20 }), async (pieces) => {
      const tokens = await tokenise(`x${pieces.join('')}`, []);
      const words = splitWords(vocabulary, tokens);
      assert.deepEqual(
        words.flatMap((word) => word.tokens),
        tokens,
      );
      assert.equal(words.map(({ text }) => text).join(''), decodeText(vocabulary, tokens));
    }),
  );
});

async function split(text: string): Promise<string[]> {
  return splitWords(vocabulary, await tokenise(text, [])).map((word) => word.text);
}

function trimmed(words: string[]): string[] {
  return words.map((word) => word.trim()).filter((word) => word !== '');
}
