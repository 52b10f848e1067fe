import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

const missing = spawnSync('python3', ['--version']).status !== 0;
const reason = 'THE TEXTS FOR TRAINING ARE NOT TESTED HERE: there is no python3.';

function answerOf(program: string, given: string[]): unknown {
  const run = spawnSync('python3', ['-c', program, JSON.stringify(given)], { cwd: root, encoding: 'utf8' });
  assert.equal(run.status, 0, run.stderr);
  return JSON.parse(run.stdout);
}

const wordnet = `01 n 0 | a bend; "the ligatures were cut across"; "stop here"
02 v 0 | no example at all`;
const words = `  1 a line of the licence
00000003 21 n 02 ATM 0 credit_card 0 001 @ 01 n 0000 | plastic
00000004 00 a 01 galore(ip) 0 000 | in great numbers`;
const counts = `credit_card%1:21:00:: 1 3
credit_card%1:21:01:: 2 1
galore%5:00:00:: 1 1`;
const webster = `Arquebusier \\Ar\`que*bus*ier\\, n.
   A soldier armed with an arquebus.

         Soldiers armed with guns, of whatsoever sort or
         denomination, appear to have been called arquebusiers.
                                                  --E. Lodge.
   [1913 Webster]

         An indented paragraph that nobody is named for.
   [1913 Webster]`;

test('sentences are found in two dictionaries, definitions are not', { skip: missing && reason }, () => {
  const program = `
import json, sys
sys.path.insert(0, 'training')
from quotations import webster_quotations, wordnet_examples
wordnet, webster = json.loads(sys.argv[1])
print(json.dumps([wordnet_examples(wordnet), webster_quotations(webster)]))`;
  assert.deepEqual(answerOf(program, [wordnet, webster]), [
    ['The ligatures were cut across.'],
    [
      'Soldiers armed with guns, of whatsoever sort or denomination, appear to have been called arquebusiers.',
    ],
  ]);
});

test('words keep their capitals and are counted in all senses; a piece of prose has no mark and does not begin the sentence', {
  skip: missing && reason,
}, () => {
  const program = `
import json, random, sys
sys.path.insert(0, 'training')
from phrases import piece_of, wordnet_uses, wordnet_words
words, counts = json.loads(sys.argv[1])
pieces = [piece_of("But they, of all people, had gone home.", random.Random(seed)) for seed in range(40)]
print(json.dumps([wordnet_words(words), wordnet_uses(counts), sorted(set(filter(None, pieces)))]))`;
  assert.deepEqual(answerOf(program, [words, counts]), [
    ['ATM', 'credit card', 'galore'],
    { 'credit card': 4, galore: 1 },
    ['all people', 'of all', 'of all people'],
  ]);
});
