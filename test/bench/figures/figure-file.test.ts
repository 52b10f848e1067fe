import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  addRun,
  type FigureFile,
  type FigureRow,
  type FigureRun,
  formatFigureFile,
  parseFigureFile,
} from '../../../bench/figures/figure-file.ts';
import { recordFigures } from '../../../bench/figures/record-figures.ts';

const processor = { model: 'Neoverse-N1', architecture: 'arm64', cores: 2 };
const row = (id: string, value: number, options?: string): FigureRow => ({
  id,
  what: id,
  value,
  command: 'npm run bench:service',
  ...(options && { options }),
});
const run = (date: string, rows: FigureRow[]): FigureRun => ({
  date,
  commit: date === '2026-11-15' ? 'e6e914a' : '9a340fe',
  processor,
  node: '20.20.2',
  rows,
});
const file = (...runs: FigureRun[]): FigureFile => ({ bench: 'service', architecture: 'arm64', runs });
const [first, second] = ['2026-11-15', '2026-11-16'];

test('a run takes the place of the rows that it measured anew, and of no others', () => {
  const earlier = file(run(first, [row('load/wrong', 1), row('kill/ledger', 2)]));
  const merged = addRun(earlier, run(second, [row('load/wrong', 3)]));
  assert.deepEqual(merged.runs, [run(first, [row('kill/ledger', 2)]), run(second, [row('load/wrong', 3)])]);
});

test('a row measured with other options is another row', () => {
  const earlier = file(run(first, [row('load/wrong', 1)]));
  const merged = addRun(earlier, run(second, [row('load/wrong', 3, '--uploads 10')]));
  assert.deepEqual(
    merged.runs.flatMap(({ rows }) => rows.map(({ value }) => value)),
    [1, 3],
  );
});

test('a run of which every row was measured anew is gone', () => {
  const merged = addRun(file(run(first, [row('load/wrong', 1)])), run(second, [row('load/wrong', 3)]));
  assert.deepEqual(merged.runs, [run(second, [row('load/wrong', 3)])]);
});

test('the checks of one command are one run', () => {
  const merged = addRun(file(run(first, [row('load/wrong', 1)])), run(first, [row('kill/ledger', 2)]));
  assert.deepEqual(merged.runs, [run(first, [row('load/wrong', 1), row('kill/ledger', 2)])]);
});

test('what is written is read back, one line a row', () => {
  const interval: [number, number] = [1, 2];
  const written = file(run(first, [{ ...row('a', 1), interval }, row('b', 2)]), run(second, [row('c', 3)]));
  const text = formatFigureFile(written);
  assert.deepEqual(parseFigureFile('service', text), written);
  assert.equal(text.split('\n').filter((line) => line.includes('"id"')).length, 3);
});

const refused: [string, unknown, RegExp][] = [
  ['a field that nobody knows', file(run(first, [{ ...row('a', 1), colour: 'red' } as FigureRow])), /colour/],
  [
    'a run without a commit',
    file({ ...run(first, [row('a', 1)]), commit: undefined } as unknown as FigureRun),
    /commit/,
  ],
  ['a date that is none', file(run('today', [row('a', 1)])), /date/],
  [
    'a bar of which nobody says whether it is met',
    file(run(first, [{ ...row('a', 1), bar: '0' }])),
    /a bar is met/,
  ],
  ['a verdict without a bar', file(run(first, [{ ...row('a', 1), met: true }])), /a bar is met/],
  ['the same row twice', file(run(first, [row('a', 1)]), run(second, [row('a', 2)])), /a stands in it twice/],
  [
    'a run on another architecture',
    { ...file(run(first, [row('a', 1)])), architecture: 'x64' },
    /a run on arm64/,
  ],
];
for (const [what, content, pattern] of refused) {
  test(`${what} is refused`, () => {
    assert.throws(() => parseFigureFile('service', JSON.stringify(content)), pattern);
  });
}

test('figures are written to the file of their bench and architecture, with what measured them', () => {
  const folder = mkdtempSync(join(tmpdir(), 'siann-figures-'));
  try {
    const { rows: _, ...about } = run(first, []);
    const record = (value: number, options?: string) =>
      recordFigures([{ id: 'load/wrong', what: 'wrong answers', value }], {
        folder,
        bench: 'service',
        run: about,
        command: 'npm run bench:service -- --only load',
        ...(options && { options }),
      });
    record(1);
    record(2, '--uploads 10');
    const path = record(3);
    assert.equal(path, join(folder, 'service-arm64.json'));
    const [only] = parseFigureFile(path, readFileSync(path, 'utf8')).runs;
    assert.deepEqual(
      only!.rows.map(({ value, options }) => [value, options]),
      [
        [2, '--uploads 10'],
        [3, undefined],
      ],
    );
    assert.equal(only!.commit, 'e6e914a');
    assert.equal(only!.rows[0]!.command, 'npm run bench:service -- --only load');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
