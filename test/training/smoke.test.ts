import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const needs = ['torch', 'numpy', 'onnx'];
const python = ['python3', '/usr/bin/python3'].find((program) => hasModules(program));

const reason = `TRAINING IS NOT TESTED HERE: no python3 with ${needs.join(', ')} (on Debian: apt-get install python3-torch python3-onnx libopenblas0).`;

test('an adapter is trained, written and read back, from packed weights and speech on', {
  skip: python === undefined && reason,
  timeout: 600_000,
}, (context) => {
  const run = spawnSync(python!, ['training/smoke.py'], { cwd: root, encoding: 'utf8' });
  assert.equal(run.status, 0, `${run.stdout}\n${run.stderr}`);
  for (const line of run.stdout.split('\n').filter((each) => each.startsWith('LEFT OUT')))
    context.diagnostic(line);
  assert.match(run.stdout, /labels: \{'soft': 8, 'reference': 2, 'phrase': 4/);
  assert.match(run.stdout, /training ended after 3 steps .* 0 steps left out/);
  assert.match(run.stdout, /file \| dev-taiwanese/);
  assert.match(run.stdout, /smoke run passed/);
});

test('Python counts errors as the bench does', { skip: python === undefined && reason }, async () => {
  const { toUnits } = await import('../../evaluation/scoring.ts');
  const program = `
import json, sys
sys.path.insert(0, 'training')
from pathlib import Path
from scoring import Scoring
import pack, tempfile
with tempfile.TemporaryDirectory() as folder:
    pack.stage_script_table(pack.ROOT, Path(folder))
    scoring = Scoring(Path(folder) / 'simplified.json')
print(json.dumps([[scoring.units(text), scoring.units(text, True)] for text in json.loads(sys.argv[1])]))`;
  const run = spawnSync(python!, ['-c', program, JSON.stringify(sentences)], { cwd: root, encoding: 'utf8' });
  assert.equal(run.status, 0, run.stderr);
  const expected = sentences.map((text) => [toUnits(text), toUnits(text, { numbersFolded: true })]);
  assert.deepEqual(JSON.parse(run.stdout), expected);
});

const sentences = [
  '设定二十九度',
  '設定29度，三点一四。',
  '𪜶老母反對𪜶來往，伊煞來病相思。',
  "It's one hundred and twenty-three o'clock, Mr. Smith: 50 percent!",
  '百分之十五的人在二零二一年一百二十万',
  'The twenty first of May, 1,250 people and a hundred more',
  '想听歌曲hold不住的爱',
];

function hasModules(program: string): boolean {
  return spawnSync(program, ['-c', `import ${needs.join(', ')}`]).status === 0;
}
