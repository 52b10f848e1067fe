import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type FigureRow, parseFigureFile } from '../../../bench/figures/figure-file.ts';
import { makePage } from '../../../bench/figures/make-page.ts';
import { figuresPage, mostLines } from '../../../bench/figures/page/figures-page.ts';
import { listMeasured } from '../../../bench/figures/page/measured.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const renew = 'run `npm run figures` and commit what it writes';

test('docs/figures.md and its pictures are what the command makes of figures/', () => {
  const made = makePage(join(root, 'figures'));
  for (const [path, text] of made) assert.equal(read(path), text, `${path}: ${renew}`);
  const pictures = readdirSync(join(root, 'docs/images/figures')).map(
    (name) => `docs/images/figures/${name}`,
  );
  assert.deepEqual(pictures.sort(), [...made.keys()].filter((path) => path.endsWith('.svg')).sort(), renew);
});

test('the page has at most 150 lines', () => {
  assert.equal(mostLines, 150);
  assert.ok(read('docs/figures.md').trimEnd().split('\n').length <= 150);
});

test('every file of figures/ is named after its bench and architecture', () => {
  for (const name of readdirSync(join(root, 'figures'))) {
    const { bench, architecture } = parseFigureFile(name, read(`figures/${name}`));
    assert.equal(name, `${bench}-${architecture}.json`);
  }
});

test('pictures say on which processor they were measured, and have colours for light and dark', () => {
  for (const name of readdirSync(join(root, 'docs/images/figures'))) {
    const svg = read(`docs/images/figures/${name}`);
    assert.match(svg, /prefers-color-scheme: dark/);
    assert.match(svg, /(arm64|x64): [^<]+, \d+ cores/, name);
  }
});

const service = (rows: FigureRow[], architecture = 'arm64') => ({
  bench: 'service',
  architecture,
  runs: [
    {
      date: '2026-11-16',
      commit: '9a340fe',
      processor: { model: `${architecture} model`, architecture, cores: 2 },
      node: '20.20.2',
      rows,
    },
  ],
});
const row = (id: string, more: Partial<FigureRow> = {}): FigureRow => ({
  id,
  what: `what of ${id}`,
  value: 1,
  command: 'npm run bench:service',
  ...more,
});
const page = (...files: ReturnType<typeof service>[]) => figuresPage(listMeasured(files), new Map());

test('architectures stand side by side, and each is named with its processor', () => {
  const text = page(
    service([row('a', { value: 1, unit: 's' })]),
    service([row('a', { value: 2, unit: 's' })], 'x64'),
  );
  assert.match(text, /\| {2}\| arm64 \| x64 \| bar \|/);
  assert.match(text, /\| \*\*what of a\*\* \| 1 s \| 2 s \| {2}\|/);
  assert.match(text, /- \*\*x64\*\*: x64 model, 2 cores, Node\.js 20\.20\.2/);
});

test('a bar that is missed is called missed, above and in its row, even where the row is a minor one', () => {
  const text = page(
    service([row('a', { bar: '≤ 0', met: false, minor: true }), row('b', { bar: '≥ 1', met: true })]),
  );
  assert.match(text, /Of 2 bars, 1 are met\. Missed, and marked as missed: 1 in \[Service\]\(#service\)\./);
  assert.match(text, /\| \*\*what of a\*\* \| \*\*missed: 1\*\* \| ≤ 0 \|/);
});

test('a minor row that meets its bar is counted and not shown', () => {
  const text = page(service([row('a', { bar: '≤ 1', met: true, minor: true }), row('b')]));
  assert.doesNotMatch(text, /what of a/);
  assert.match(text, /1 more row is in the file alone/);
});

test('parts of one thing share a line', () => {
  const text = page(
    service([row('a', { what: 'load: wrong', value: 0 }), row('b', { what: 'load: memory', value: 5 })]),
  );
  assert.match(text, /\| \*\*load\*\*: wrong; memory \| 0; 5 \|/);
});

test('counts over all sets of recordings are no set of their own', () => {
  const series = 'Siann';
  const rows = [
    row('error/english/siann', { series, value: 7 }),
    row('empty/siann', { what: 'sentences with an empty text', series, value: 0, bar: '0', met: true }),
  ];
  const text = page({ ...service(rows), bench: 'accuracy' });
  assert.match(text, /\| english \| 7 \|/);
  assert.doesNotMatch(text, /\| siann \|/);
  assert.match(text, /\| \*\*sentences with an empty text\*\* \| 0 \| 0 \|/);
});

test('rows of another bench than the page knows are not passed over', () => {
  assert.throws(
    () => page({ ...service([row('a')]), bench: 'weather' }),
    /No area of the page shows weather/,
  );
});

test('a page that would be too long is refused', () => {
  const rows = Array.from({ length: 150 }, (_, index) => row(`row ${index}`));
  assert.throws(() => page(service(rows)), /150 are the most/);
});
