import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

const missing = spawnSync('python3', ['--version']).status !== 0;
const reason = 'THE TEXTS FOR TRAINING ARE NOT TESTED HERE: there is no python3.';

const wordnet = `01 n 0 | a bend; "the ligatures were cut across"; "stop here"
02 v 0 | no example at all`;
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
  const run = spawnSync('python3', ['-c', program, JSON.stringify([wordnet, webster])], {
    cwd: root,
    encoding: 'utf8',
  });
  assert.equal(run.status, 0, run.stderr);
  assert.deepEqual(JSON.parse(run.stdout), [
    ['The ligatures were cut across.'],
    [
      'Soldiers armed with guns, of whatsoever sort or denomination, appear to have been called arquebusiers.',
    ],
  ]);
});
