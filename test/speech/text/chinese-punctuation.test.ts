import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { tidyText } from '../../../src/speech/text/chinese-punctuation.ts';

const cases: [string, string][] = [
  ['你好,我是 Tom, 他說:好!', '你好，我是 Tom，他說：好！'],
  ['今天 12:30 開會, 價格 1,000 元,折 3.5 折', '今天 12:30 開會，價格 1,000 元，折 3.5 折'],
  ['比數3:2,贏了', '比數3:2，贏了'],
  ['我 們 都 好 嗎?', '我們都好嗎？'],
  ['真的嗎?!', '真的嗎？！'],
  ['網址:https://a.com/x?y=1,z 好', '網址：https://a.com/x?y=1,z 好'],
  ['他的email是a@b.com,請寄', '他的email是a@b.com，請寄'],
  ['我用 Python, Java, C++', '我用 Python, Java, C++'],
  ['是的, Mr. Smith, thank you', '是的，Mr. Smith, thank you'],
  ['我喜歡 iPhone  和iPad , 你呢 ?', '我喜歡 iPhone 和iPad，你呢？'],
  ['你好.', '你好。'],
  ['等等...', '等等...'],
  ['『 好 』 走', '『好』走'],
  ['𪜶 是 誰,𪜶?', '𪜶是誰，𪜶？'],
];

for (const [from, to] of cases) {
  test(`${from} is tidied to ${to}`, () => assert.equal(tidyText(from, 'zh'), to));
}

test('English keeps its marks and has its spaces collapsed', () => {
  assert.equal(tidyText('  Well,  he said:\t3.5, at 12:30!  ', 'en'), 'Well, he said: 3.5, at 12:30!');
});

test('replacement characters, controls and stray line ends are dropped', () => {
  assert.equal(tidyText('a\u0000b\uFFFD\u200B\r\n\r\n  c\r', 'en'), 'ab\nc');
  assert.equal(tidyText('好\uFFFD 的', 'zh'), '好的');
});

test('tidying twice is tidying once, and text without marks keeps its letters', () => {
  const piece = fc.constantFrom(
    ...[
      '好',
      '的',
      'ok',
      'A',
      '1',
      '2',
      ' ',
      '  ',
      ',',
      '.',
      '?',
      '!',
      ':',
      ';',
      '，',
      '。',
      '「',
      '」',
      '\n',
      '\uFFFD',
    ],
  );
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 20 }),
      fc.constantFrom('zh' as const, 'en' as const),
      (pieces, language) => {
        const once = tidyText(pieces.join(''), language);
        assert.equal(tidyText(once, language), once);
        const letters = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, '');
        assert.equal(letters(once), letters(pieces.join('')));
      },
    ),
  );
});
