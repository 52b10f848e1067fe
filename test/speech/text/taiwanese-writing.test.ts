import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isTaiwanese } from '../../../src/speech/text/taiwanese-writing.ts';

for (const text of ['𪜶老母反對𪜶來往', '講來講去是你毋著', '你按怎攏無來', '阮兜佇臺南', '伊袂曉駛車']) {
  test(`${text} is Taiwanese`, () => assert(isTaiwanese(text)));
}

for (const text of [
  '他的媽媽反對他們交往',
  '內閣總理',
  '給予公共服務',
  '拉攏伊朗',
  '今天天氣很好',
  'I said so.',
]) {
  test(`${text} is not`, () => assert(!isTaiwanese(text)));
}
