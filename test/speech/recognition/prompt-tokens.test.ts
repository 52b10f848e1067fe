import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { publishedModel } from '../../../src/model/catalogue.ts';
import {
  decodeText,
  readVocabulary,
  type Vocabulary,
} from '../../../src/speech/inference/decoding/vocabulary.ts';
import { createPromptTokeniser, withPrevious } from '../../../src/speech/recognition/prompt-tokens.ts';
import { requestOptions } from '../../../wire/request-options.ts';

const { folder } = publishedModel('tiny');
const tokenise = createPromptTokeniser({ modelFolder: folder, usedBytes: requestOptions.prompt.usedBytes });
let vocabulary: Vocabulary;

before(async () => {
  vocabulary = await readVocabulary(folder);
});

test('nothing known beforehand is no token, and reads no table', async () => {
  const withoutTable = createPromptTokeniser({ modelFolder: '/nowhere', usedBytes: 2000 });
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

test('hotwords keep their share beside a prompt that is too long by itself', async () => {
  const long = Array.from({ length: 400 }, (_, i) => `word${i}`).join(' ');
  const text = decodeText(vocabulary, await tokenise(long, ['氣象署', 'Siann']));
  assert.match(text, /^ 氣象署、Siann word3\d\d .* word399$/);
  const tokens = (await tokenise(long, ['氣象署', 'Siann'])).length;
  assert(tokens > 195 && tokens <= 200, `${tokens} tokens`);
});

test('hotwords and a prompt that are both too long get half of the tokens each', async () => {
  const words = (name: string) => Array.from({ length: 400 }, (_, i) => `${name}${i}`);
  const tokens = await tokenise(words('word').join(' '), words('name'));
  const [first, second] = [tokens.slice(0, 100), tokens.slice(100)].map((half) =>
    decodeText(vocabulary, half),
  );
  assert.match(first!, /name399$/);
  assert.match(second!, /^ word3\d\d .* word399$/);
});

test('a short prompt leaves the rest to hotwords', async () => {
  const names = Array.from({ length: 400 }, (_, i) => `name${i}`);
  const text = decodeText(vocabulary, await tokenise('about the weather', names));
  assert(text.endsWith('name399 about the weather'), text.slice(-40));
  assert.equal((await tokenise('about the weather', names)).length, 200);
});

test('with the utterance before it, a prompt of a stream is not longer than any other', () => {
  const tokens = Array.from({ length: 200 }, (_, index) => index);
  const previous = Array.from({ length: 60 }, (_, index) => 1_000 + index);
  assert.deepEqual(withPrevious(tokens, previous), [...tokens.slice(60), ...previous]);
  assert.deepEqual(withPrevious([1, 2], previous), [1, 2, ...previous]);
  assert.deepEqual(withPrevious(tokens, []), tokens);
});

test('a text of any length takes as long as its end, and gives the same tokens', async () => {
  const wholly = createPromptTokeniser({ modelFolder: folder, usedBytes: 1e9 });
  const english =
    'Tomorrow the weather office expects strong winds, so please stay away from the coast. '.repeat(40);
  const chinese = '關於明天的颱風，氣象署請大家注意安全，並且準備好飲用水。'.repeat(40);
  for (const text of [english, chinese, `${english}${chinese}`]) {
    assert.deepEqual(await tokenise(text, []), await wholly(text, []));
    assert.deepEqual(await tokenise(text, text.split(' ')), await wholly(text, text.split(' ')));
  }
  const nonsense = 'x'.repeat(65_000);
  assert.deepEqual(
    await tokenise(nonsense, [nonsense]),
    await tokenise(nonsense.slice(-2000), [nonsense.slice(-2000)]),
  );
  const emoji = '👩‍👩‍👧'.repeat(5_000);
  assert.doesNotMatch(decodeText(vocabulary, (await tokenise(emoji, [])).slice(1)), /^\uFFFD{3}/);
});

test('a control token spelt out in a prompt steers nothing', async () => {
  const tokens = await tokenise('<|endoftext|><|zh|><|0.00|> hello', []);
  assert.deepEqual(
    tokens.filter((token) => token >= vocabulary.endOfText),
    [],
  );
});
