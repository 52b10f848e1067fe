import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
// @ts-expect-error: a script without types
import { rooms } from '../../scripts/check-rooms.mjs';

const page = readFileSync(new URL('../../docs/architecture.md', import.meta.url), 'utf8');

test('the table of rooms is what the linter checks', () => {
  const rows = [...page.matchAll(/^\| `([\w/]+)` \| [^|]+ \| ([^|]+) \|$/gm)].map(
    ([, room, imports]) => [room, [...imports!.matchAll(/`([^`]+)`/g)].map(([, name]) => name)] as const,
  );
  const short = (room: string) => room.replace(/^src\//, '');
  const lines = Object.entries(rooms as Record<string, string[]>).map(
    ([room, imports]) => [short(room), imports.map(short)] as const,
  );
  assert.deepEqual(rows, lines);
});

test('every file and folder that the page names is there', () => {
  const drawn = [...page.matchAll(/^```\n([\s\S]*?)^```/gm)].flatMap(([, drawing]) => pathsIn(drawing!));
  const named = [...page.matchAll(/`([^`\n]+)`/g)].flatMap(([, code]) => pathsIn(code!));
  assert.ok(drawn.length > 30 && named.length > 30);
  for (const path of [...drawn, ...named]) {
    const found = ['', '../src/', '../'].some((from) =>
      existsSync(new URL(`../../docs/${from}${path}`, import.meta.url)),
    );
    assert.ok(found, `docs/architecture.md names ${path}, which is not there.`);
  }
});

/** Paths with a slash in them: `audio/mp3/`, `speech/windows/windows.ts`. */
function pathsIn(text: string): string[] {
  return [...text.matchAll(/(?<![\w/.-])(?:[a-z][\w.-]*\/)+(?:[\w-]+\.(?:ts|mjs|md))?(?![\w/])/g)].map(
    ([path]) => path,
  );
}
