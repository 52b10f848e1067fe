import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { type CatalogueEntry, catalogue } from '../../src/errors/catalogue.ts';
import { type Ending, endingError, endings } from '../../src/errors/endings.ts';
import { errorBody, ServiceError } from '../../src/errors/service-error.ts';
import type { EndReason } from '../../wire/stream-events.ts';

const page = await readFile(new URL('../../docs/guides/errors.md', import.meta.url), 'utf8');
const entries = Object.entries(catalogue) as [string, CatalogueEntry][];

test('the page lists every status and code of the catalogue, and no others', () => {
  const answered = entries.flatMap(([code, { status, wireCode = code }]) =>
    status === undefined ? [] : [`${status} ${wireCode}`],
  );
  const listed = rowsOf('status').flatMap(([status, codes]) =>
    codesIn(codes!).map((code) => `${status} ${code}`),
  );
  assert.deepEqual(sorted(listed), sorted(answered));
});

test('the page says "no" to those who would try again in vain, and to nobody else', () => {
  for (const [status, codes, , tryAgain] of rowsOf('status')) {
    for (const code of codesIn(codes!)) {
      const same = entries.filter(
        ([name, entry]) => String(entry.status) === status && (entry.wireCode ?? name) === code,
      );
      assert.ok(same.length > 0, code);
      for (const [name, entry] of same)
        assert.equal(!tryAgain!.startsWith('no'), entry.retryable ?? false, name);
    }
  }
});

test('the page lists every ending of a stream with its close code and its error, and no others', () => {
  const known = (Object.entries(endings) as [EndReason, Ending][]).map(
    ([reason, { closeCode }]) => `${closeCode} ${reason} ${endingError(reason, undefined)?.code ?? ''}`,
  );
  const listed = rowsOf('close').map(
    ([close, reason, error]) => `${close} ${codesIn(reason!)[0]} ${codesIn(error!)[0] ?? ''}`,
  );
  assert.deepEqual(sorted(listed), sorted(known));
});

test('the body that the page shows is the one that is sent', () => {
  const shown = JSON.parse(/```json\n([\s\S]*?)```/.exec(page)![1]!);
  assert.deepEqual(shown, errorBody(new ServiceError('invalid_file_format')));
});

/** The cells of every table whose first column has that name. */
function rowsOf(firstColumn: string): string[][] {
  const tables = page.match(/(?:^\|.*\|\n)+/gm) ?? [];
  return tables
    .map((table) => table.trim().split('\n').map(cellsOf))
    .filter(([head]) => head![0] === firstColumn)
    .flatMap((rows) => rows.slice(2));
}

function cellsOf(line: string): string[] {
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}

function codesIn(cell: string): string[] {
  return [...cell.matchAll(/`([a-z_]+)`/g)].map(([, code]) => code!);
}

function sorted(values: string[]): string[] {
  return [...new Set(values)].sort();
}
