import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joinText } from '../../../src/speech/text/join-text.ts';

const cases: [string[], string][] = [
  [[], ''],
  [['', '  '], ''],
  [['Hello.', 'World.'], 'Hello. World.'],
  [['你好。', '再見。'], '你好。再見。'],
  [['我用', 'Python'], '我用Python'],
  [['Python', '很好用'], 'Python很好用'],
  [['Really?', '「真的」'], 'Really?「真的」'],
  [['𪜶', 'ok'], '𪜶ok'],
  [['ok', '𪜶'], 'ok𪜶'],
  [['one', '', ' two '], 'one two'],
];

for (const [pieces, text] of cases) {
  test(`${JSON.stringify(pieces)} reads ${JSON.stringify(text)}`, () => assert.equal(joinText(pieces), text));
}
