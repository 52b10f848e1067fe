import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toScript } from '../../../src/speech/text/chinese-script.ts';

const simplifiedToTaiwan: [string, string][] = [
  ['软件工程师', '軟體工程師'],
  ['以后', '以後'],
  ['皇后的头发', '皇后的頭髮'],
  ['家里离学校三公里', '家裡離學校三公里'],
  ['干杯，别干扰我吃饼干', '乾杯，別干擾我吃餅乾'],
  ['一只猫只有一张脸', '一隻貓只有一張臉'],
  ['面对面吃面条', '面對面吃麵條'],
  ['台湾的台风', '台灣的颱風'],
  ['周杰伦的演唱会', '周杰倫的演唱會'],
  ['他看着那个著名的污染', '他看著那個著名的污染'],
  ['什么', '什麼'],
];

for (const [from, to] of simplifiedToTaiwan) {
  test(`Simplified ${from} becomes ${to}`, () => assert.equal(toScript(from, 'zh-TW'), to));
}

// Each of these is changed by OpenCC's s2twp, by t2s followed by s2twp, or by both.
const alreadyTraditional = [
  ...[
    '干擾',
    '台灣',
    '臺北',
    '台積電',
    '范瑋琪',
    '采訪',
    '鄉里',
    '舞台',
    '台風',
    '郁達夫',
    '了解',
    '瞭解',
    '里長',
  ],
  ...[
    '丑時',
    '計畫',
    '復習',
    '發布',
    '頒布',
    '盡量',
    '聯繫',
    '污染',
    '自行車',
    '念書',
    '台語',
    '支持',
    '打開文件',
  ],
  ...[
    '皇后的頭髮',
    '一隻貓',
    '茶几',
    '星期幾',
    '乾杯',
    '麵包',
    '面子',
    '之後',
    '他的士氣',
    '我們上網吧',
    '觀光標章',
  ],
];

for (const text of alreadyTraditional) {
  test(`Traditional ${text} stays as it is`, () => assert.equal(toScript(text, 'mixed'), text));
}

test('a stray Simplified word in Traditional writing is converted alone', () => {
  assert.equal(toScript('我們在台北看电影，姓范的里長說的', 'mixed'), '我們在台北看電影，姓范的里長說的');
  assert.equal(toScript('我的头发很長，後來剪了', 'mixed'), '我的頭髮很長，後來剪了');
});

test('Traditional text of other regions gets Taiwan forms and wording', () => {
  assert.equal(toScript('我們在這裏看着軟件', 'mixed'), '我們在這裡看著軟體');
});

test('words that Taiwan says too are written as they were said', () => {
  assert.equal(toScript('我们支持这个项目，打开文件', 'mixed'), '我們支持這個項目，打開文件');
});

test('zh-CN gives Simplified from either script, with the words that were said', () => {
  assert.equal(toScript('看著這個著名的軟體，後面有餅乾', 'zh-CN'), '看着这个著名的软体，后面有饼干');
  assert.equal(toScript('皇后看着乾坤', 'zh-CN'), '皇后看着乾坤');
});

test('text without Chinese is untouched in every setting', () => {
  for (const setting of ['mixed', 'zh-TW', 'zh-CN', 'en-US'] as const) {
    assert.equal(toScript('Hello, 3.5 m² — naïve café', setting), 'Hello, 3.5 m² — naïve café');
  }
  assert.equal(toScript('用 Python 写 API v2.0', 'mixed'), '用 Python 寫 API v2.0');
  assert.equal(toScript('这个', 'en-US'), '这个');
});
