import { createHash } from 'node:crypto';
import { escapeHtml } from './markdown.ts';

type DocsPage = { name: string; title: string };

/** The pages in the order in which a new reader needs them. The last one is made from the routes. */
export const docsPages: readonly DocsPage[] = [
  { name: 'start', title: 'Start here' },
  { name: 'files', title: 'Files' },
  { name: 'realtime', title: 'Live captions' },
  { name: 'options', title: 'Options' },
  { name: 'speakers', title: 'Speakers' },
  { name: 'errors', title: 'Errors' },
  { name: 'limits', title: 'Limits' },
  { name: 'keys', title: 'Keys' },
  { name: 'signing', title: 'Signing' },
  { name: 'operating', title: 'Operating' },
  { name: 'scaling', title: 'Scaling' },
  { name: 'reference', title: 'Reference' },
];

const style = `
:root { color-scheme: light dark; --accent: light-dark(#0f766e, #5eccbd); --line: light-dark(#dfe5e2, #2b3633);
  --soft: light-dark(#f1f5f4, #1a2321); --quiet: light-dark(#56635f, #a3b1ad) }
* { box-sizing: border-box }
body { font: 16px/1.65 system-ui, "PingFang TC", "Noto Sans TC", "Noto Sans CJK TC", sans-serif; margin: 0;
  background: light-dark(#fff, #111716); color: light-dark(#1b2523, #e6edeb);
  display: grid; grid-template-columns: 14rem minmax(0, 48rem); gap: 0 3rem }
nav { padding: 2rem 1rem 2rem 1.5rem; border-right: 1px solid var(--line); min-height: 100vh }
nav ul { list-style: none; margin: 1rem 0; padding: 0 }
nav li a { display: block; padding: .35rem .75rem; border-radius: 8px; color: inherit; text-decoration: none }
nav li a:hover, nav [aria-current] { background: var(--soft) }
nav [aria-current] { color: var(--accent); font-weight: 600 }
.brand { font-size: 1.25rem; font-weight: 700; color: inherit; text-decoration: none; padding-left: .75rem }
main { padding: 2rem 1.25rem 5rem }
h1 { font-size: 1.875rem; line-height: 1.25; margin: 0 0 1rem }
h2 { font-size: 1.25rem; margin: 2.5rem 0 .75rem }
a { color: var(--accent) }
code, pre { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: .875em }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: 8px; padding: .875rem 1rem; overflow-x: auto; line-height: 1.5 }
:not(pre) > code { background: var(--soft); border-radius: 4px; padding: .1em .3em; overflow-wrap: anywhere }
.wide { overflow-x: auto }
table { border-collapse: collapse; min-width: 100%; font-size: .9375rem }
td, th { text-align: left; vertical-align: top; padding: .45rem 1rem .45rem 0; border-bottom: 1px solid var(--line) }
.method { color: var(--accent); margin-right: .5rem }
@media (max-width: 55rem) {
  body { display: block }
  nav { min-height: 0; padding: 1rem; border: 0; border-bottom: 1px solid var(--line) }
  nav ul { display: flex; flex-wrap: wrap; margin: .5rem 0 0 }
  main { padding-top: 1.5rem }
}
`;

/** The content security policy of pages that run and load nothing. */
export const docsPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

/** Puts the frame of the documentation around a page. */
export function frameDocs({ name, title, body }: DocsPage & { body: string }): string {
  const items = docsPages.map((page) => {
    const current = page.name === name ? ' aria-current="page"' : '';
    return `<li><a href="/docs/${page.name}"${current}>${escapeHtml(page.title)}</a></li>`;
  });
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escapeHtml(title)} – Siann</title><style>${style}</style></head><body>`,
    `<nav aria-label="Documentation"><a class="brand" href="/docs"><span lang="zh-TW">聲</span> Siann</a>`,
    `<ul>${items.join('')}</ul></nav>`,
    `<main>${body}</main></body></html>`,
  ].join('\n');
}
