import { createRequire } from 'node:module';
import type { LanguageSetting } from '../transcript/languages.ts';
import { everydayTaiwanSpellings, wordsTaiwanSaysToo } from './taiwan-wording.ts';

/** What is used of opencc-js, whose own types do not resolve under NodeNext. */
type OpenCC = {
  Trie: new () => WordTree;
  Converter(options: { from: string; to: string }): (text: string) => string;
  Locale: { configs: Record<string, { conversionChain: DictGroup[] }> };
};
type WordTree = {
  loadDictGroup(group: DictGroup): void;
  segment(text: string): string[];
  convert(text: string): string;
};
type DictGroup = readonly (string | readonly (readonly [string, string])[])[];

/**
 * Chinese in the script that the caller asked for; everything that is not Han is left alone.
 *
 * Whisper writes Traditional or Simplified as it pleases, sometimes both in one sentence. OpenCC expects Simplified input: it turns
 * 姓范, 里長 and 干擾 into 姓範, 裡長 and 幹擾, and converting to Simplified first would lose 計畫 and 台風. So the characters that
 * only one script has are counted first, and Traditional writing keeps its words.
 */
export function toScript(text: string, setting: LanguageSetting): string {
  if (setting === 'en-US' || !/\p{Script=Han}/u.test(text)) return text;
  if (setting === 'nan-TW') return toTaiwanese(text);
  return setting === 'zh-CN' ? simplified()(text) : toTaiwan(text);
}

/** Whether a text has characters that neither Traditional nor Taiwanese writing knows. */
export function hasSimplified(text: string): boolean {
  return [...text].some(isSimplified);
}

function isSimplified(character: string): boolean {
  return scripts().simplifiedOnly.has(character) && !taiwaneseToo.has(character);
}

/** Taiwanese writing chooses its characters with care, and OpenCC does not know its words: only Simplified characters are changed, one by one. */
function toTaiwanese(text: string): string {
  const { traditionalOf } = scripts();
  return [...text]
    .map((character) => (isSimplified(character) ? traditionalOf.get(character)! : character))
    .join('');
}

function toTaiwan(text: string): string {
  const { simplifiedOnly, traditionalOnly } = scripts();
  const characters = [...text];
  const simplifiedCount = characters.filter((character) => simplifiedOnly.has(character)).length;
  const traditionalCount = characters.filter((character) => traditionalOnly.has(character)).length;
  if (simplifiedCount === 0 && traditionalCount > 0) return taiwanWording().convert(text);

  // In mostly Traditional writing a character that both scripts have (后, 里, 干) means itself; only words with a stray
  // Simplified character are converted. With no evidence either way, OpenCC's phrases are right more often than not.
  const wholeText = simplifiedCount >= traditionalCount;
  const words = traditional();
  const converted = words
    .segment(text)
    .map((word) => {
      if (!wholeText && ![...word].some((character) => simplifiedOnly.has(character))) return word;
      return words.convert(word).replaceAll('臺', '台');
    })
    .join('');
  return taiwanWording().convert(converted);
}

/**
 * Characters that OpenCC converts although Taiwan writes them too (余先生, 茶几, 周杰倫), so they tell nothing about the
 * script: those of its Simplified characters which are among Big5's everyday 5,401, less a few that are there as mere
 * radicals or archaisms, and three that are used in names and units.
 */
const inBothScripts = new Set(
  '丑丰于云仆伙余佣准几凶划占台吁吃后咨咸唇夸尸岩岳峰干床征挂斗晒朴杠杰涌游灶痴皂秘筑粽群肴腌范虱辟郁采里雇霉恒涂厘',
);

/** Simplified characters that are recommended for Taiwanese words: 一个, 庄跤, 麻糍. */
const taiwaneseToo = new Set('个庄糍洒疱');

// OpenCC's dictionaries are read on first use, and each tree of words only when a text needs it: reading takes 20 ms,
// the Simplified words 110 ms, the others under 15 ms. The CommonJS build is the one that can be read synchronously.
const require = createRequire(import.meta.url);
const fromSimplified = once(() => require('opencc-js/cn2t') as OpenCC);
const fromTraditional = once(() => require('opencc-js/t2cn') as OpenCC);

const scripts = once(() => {
  const pairs = String(dictionaries(fromSimplified(), 's2t', 0).at(-1))
    .split('|')
    .map((entry) => entry.split(' ') as [string, string]);
  const simplifiedCharacters = new Set(pairs.map(([from]) => from));
  return {
    simplifiedOnly: new Set([...simplifiedCharacters].filter((from) => !inBothScripts.has(from))),
    traditionalOf: new Map(pairs),
    traditionalOnly: new Set(pairs.map(([, to]) => to).filter((to) => !simplifiedCharacters.has(to))),
  };
});

const traditional = once(() =>
  tree(fromSimplified(), [everydayTaiwanSpellings, ...dictionaries(fromSimplified(), 's2twp', 0)]),
);

const taiwanWording = once(() => {
  const asSpoken = wordsTaiwanSaysToo.map((word) => [word, word] as const);
  const wording = dictionaries(fromSimplified(), 's2twp', 1);
  return tree(fromSimplified(), [asSpoken, everydayTaiwanSpellings, ...wording]);
});

const simplified = once(() => fromTraditional().Converter({ from: 'tw', to: 'cn' }));

function dictionaries(opencc: OpenCC, config: string, step: number): DictGroup {
  return opencc.Locale.configs[config]!.conversionChain[step]!;
}

function tree(opencc: OpenCC, group: DictGroup): WordTree {
  const words = new opencc.Trie();
  words.loadDictGroup(group);
  return words;
}

function once<T>(load: () => T): () => T {
  let value: { loaded: T } | undefined;
  return () => {
    value ??= { loaded: load() };
    return value.loaded;
  };
}
