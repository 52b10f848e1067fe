import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { inventedPhrase } from '../../../src/speech/text/hallucination-phrases.ts';

const neverSpeech = [
  '字幕由Amara.org社区提供',
  '字幕由 Amara.org 社群提供',
  '请不吝点赞 订阅 转发 打赏支持明镜与点点栏目',
  '請不吝點贊訂閱轉發打賞支持明鏡與點點欄目',
  '請不吝點讚 訂閱 轉發 打賞支持明鏡與點點欄目 請不吝點讚 訂閱 轉發 打賞支持明鏡與點點欄目',
  '中文字幕志愿者 杨茜茜',
  '中文字幕志願者 李宗盛',
  '字幕by索兰娅',
  '优优独播剧场——YoYo Television Series Exclusive',
  '詞曲 李宗盛',
  'Subtitles by the Amara.org community',
  'Captions by GetTranscribed.com',
  'MBC 뉴스 이덕영입니다.',
  '시청해주셔서 감사합니다.',
  '[Music]',
  '(applause)',
  '（音樂）',
  '♪',
  '♪ ♪ ♪',
];

const perhapsSpeech = [
  '謝謝觀看',
  '谢谢大家观看!',
  '感謝收看，下次再見。',
  '謝謝大家',
  '謝謝您的觀看',
  '我們下次再見',
  '字幕製作:貝爾',
  '字幕組',
  '請訂閱我的頻道',
  'Thank you.',
  'Thank you for watching!',
  'Thanks for watching! Thanks for watching!',
  'Thank you so much for watching.',
  'Please subscribe to my channel.',
  "Don't forget to like and subscribe!",
  'See you in the next video. Bye-bye.',
  'www.example.com',
  'you',
  'Bye.',
];

const speech = [
  '',
  '...',
  '今天謝謝大家來參加這個會議',
  '我在字幕組工作三年了，這是我的心得',
  '這個字幕由我來做',
  '謝謝你幫我買午餐',
  '再見了，我的朋友',
  'Thank you for watching my dog last week.',
  'You should subscribe to the newsletter before Monday',
  'the music was too loud',
  'ok so what do we do now',
  '(laughs) that is not what I meant',
  '♪ 你是我的眼 ♪',
];

for (const text of neverSpeech) {
  test(`"${text}" is never speech`, () => assert.equal(inventedPhrase(text), 'always'));
}
for (const text of perhapsSpeech) {
  test(`"${text}" is dropped only when unsure`, () => assert.equal(inventedPhrase(text), 'when-unsure'));
}
for (const text of speech) {
  test(`"${text}" is speech`, () => assert.equal(inventedPhrase(text), undefined));
}

test('what is no phrase makes a text speech, and takes no more than a look at each piece before it', () => {
  const piece = fc.constantFrom(
    '订阅',
    '支持',
    '字幕',
    '由',
    'by',
    'thanks',
    'so',
    'much',
    'like',
    'and',
    '谢谢',
    '的',
  );
  const noPhrase = 'hippopotamus '.repeat(6);
  fc.assert(
    // A pattern that goes back would need longer than anybody waits for some of these texts.
    fc.property(fc.array(piece, { maxLength: 2_000 }), (pieces) => {
      assert.equal(inventedPhrase(`${pieces.join(' ')} ${noPhrase}`), undefined);
    }),
    { numRuns: 50 },
  );
});
