import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
// @ts-expect-error: a script without types
import * as rules from '../../scripts/check-rooms.mjs';

const { checkRooms, rooms: projectRooms, tableDifferences, unusedAllowances } = rules;

const project = fileURLToPath(new URL('../..', import.meta.url));
const rooms = {
  'src/errors.ts': [],
  'src/storage': ['src/errors.ts'],
  'src/speech': ['src/errors.ts'],
  'src/speech/text': [],
  bench: ['src/**'],
};

function check(files: Record<string, string>): string[] {
  const root = mkdtempSync(join(tmpdir(), 'siann-rooms-'));
  try {
    for (const folder of ['src', 'wire', 'client', 'console', 'evaluation', 'bench', 'training'])
      mkdirSync(join(root, folder));
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), text);
    }
    return checkRooms(root, rooms);
  } finally {
    rmSync(root, { recursive: true });
  }
}

test('the project keeps its rules, and allows nothing that it does not use', () => {
  assert.deepEqual(checkRooms(project), []);
  assert.deepEqual(unusedAllowances(project), []);
  const grown = { ...projectRooms, 'src/storage': [...projectRooms['src/storage'], 'src/http'] };
  assert.deepEqual(unusedAllowances(project, grown), [
    'src/storage does not import src/http. Take that out of its line.',
  ]);
});

test('what a room may import is allowed: its own files, and the rooms of its line', () => {
  const files = {
    'src/errors.ts': '',
    'src/storage/tables.ts': "import { ServiceError } from '../errors.ts';\nimport './rows.ts';\n",
    'src/storage/rows.ts': '',
    'bench/speed.ts': "import { split } from '../src/speech/text/split.ts';\n",
    'src/speech/text/split.ts': '',
  };
  assert.deepEqual(check(files), []);
});

for (const [kind, line] of Object.entries({
  import: "import { split } from '../speech/text/split.ts';",
  'type import': "import type { Split } from '../speech/text/split.ts';",
  'import over several lines': "import {\n  split,\n} from '../speech/text/split.ts';",
  'dynamic import': "const { split } = await import('../speech/text/split.ts');",
  're-export': "export { split } from '../speech/text/split.ts';",
})) {
  test(`a forbidden ${kind} is found`, () => {
    const files = { 'src/storage/tables.ts': `${line}\n`, 'src/speech/text/split.ts': '' };
    assert.deepEqual(check(files), [
      'src/storage/tables.ts imports src/speech/text/split.ts, and src/storage may not import src/speech/text.',
    ]);
  });
}

test('a room inside another has a line of its own: the outer one may not import it unasked', () => {
  const files = {
    'src/speech/recogniser.ts': "import './text/split.ts';\n",
    'src/speech/text/split.ts': '',
  };
  assert.equal(check(files).length, 1);
});

test('a file that lies in no room is named, and so is an import of one', () => {
  const files = { 'src/new/thing.ts': '', 'src/storage/tables.ts': "import '../new/thing.ts';\n" };
  assert.deepEqual(check(files), [
    'src/new/thing.ts lies in no room. Give its folder a line in scripts/check-rooms.mjs.',
    'src/storage/tables.ts imports src/new/thing.ts, and src/storage may not import what lies in no room.',
  ]);
});

test('sixteen loose files are allowed in a folder of src, seventeen are not', () => {
  const files = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`src/storage/part-${index}.ts`, '']));
  assert.deepEqual(check(files(16)), []);
  assert.deepEqual(check(files(17)), ['src/storage has 17 loose files, and 16 are the most. Group them.']);
});

test('a line of the table that is not the line of its room is told as it should be', () => {
  const page = '| `errors` | every error | – |\n| `storage` | tables | – |\n| `attic` | old things | – |\n';
  const allowed = { 'src/errors': [], 'src/storage': ['src/errors'], wire: [] };
  assert.deepEqual(
    [...tableDifferences(page, allowed)],
    [
      'docs/architecture.md: the line of `storage` should end with | `errors` |',
      'docs/architecture.md: the line of `wire` should end with | – |',
      'docs/architecture.md shows `attic`, which is no room.',
    ],
  );
});
