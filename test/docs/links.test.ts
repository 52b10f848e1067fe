import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { renderMarkdown } from '../../src/http/docs/markdown.ts';
import { docsPages } from '../../src/http/docs/page-frame.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const folders = ['bench', 'docs', 'training', 'weights'];
const pages = ['.', ...folders].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: folder !== '.' })
    .map((name) => normalize(join(folder, String(name))))
    .filter((path) => path.endsWith('.md')),
);

test('every link between pages of the project leads to a file and to a heading that exist', () => {
  const broken = pages.flatMap((page) =>
    linksOf(read(page)).flatMap((link) => {
      if (/^(https?:|mailto:)/.test(link)) return [];
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? page : normalize(join(dirname(page), decodeURI(path)));
      if (!existsSync(join(root, target))) return [`${page}: ${link} (no such file)`];
      const isMissing =
        anchor !== undefined && target.endsWith('.md') && !anchorsOf(read(target)).includes(anchor);
      return isMissing ? [`${page}: ${link} (no such heading)`] : [];
    }),
  );
  assert.deepEqual(broken, []);
});

test('every link of a guide leads to a page that the service has', () => {
  const served = docsPages.map(({ name }) => `/docs/${name}`);
  for (const { name } of docsPages.filter((page) => page.name !== 'reference')) {
    const html = renderMarkdown(read(name === 'realtime' ? 'docs/realtime.md' : `docs/guides/${name}.md`));
    for (const [, href] of html.matchAll(/href="(\/docs[^"#]*)/g))
      assert.ok(served.includes(href!), `${name}: ${href}`);
  }
});

function linksOf(markdown: string): string[] {
  const prose = markdown.replace(/^```.*?^```/gms, '').replace(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link!);
}

/** As GitHub names headings: lower case, without punctuation, hyphens for spaces. */
function anchorsOf(markdown: string): string[] {
  const headings = markdown.replace(/^```.*?^```/gms, '').matchAll(/^#{1,6} (.+)$/gm);
  return [...headings].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  );
}
