import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import {
  describeRoutes,
  type OpenApiDocument,
  type OpenApiOperation,
  type OpenApiOptions,
  type OpenApiSchema,
} from './openapi.ts';

/** The interface as a page to read, made from the same schemas, with no script and nothing from anywhere else. */
export function docsPage(app: FastifyInstance, { servers }: OpenApiOptions): void {
  let page = '';
  app.addHook('onReady', async () => {
    page = renderDocs(describeRoutes(app, servers));
  });
  app.get('/docs', {
    config: { admission: 'open' },
    schema: { hide: true },
    handler: async (_request, reply) =>
      reply.type('text/html; charset=utf-8').headers({ 'content-security-policy': policy }).send(page),
  });
}

const style = `
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem }
h2 { margin-top: 3rem; border-top: 1px solid #8884; padding-top: 1.5rem }
code, pre { font-family: ui-monospace, monospace; font-size: .9em }
pre { background: #8881; padding: 1rem; overflow-x: auto }
table { border-collapse: collapse; width: 100% }
td, th { text-align: left; vertical-align: top; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid #8883 }
.method { color: #06c; margin-right: .5rem }
`;

const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

export function renderDocs(document: OpenApiDocument): string {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  );
  const { url } = document.servers[0]!;
  const base = url.startsWith('/') ? `https://HOST${url}` : url;
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width">',
    `<title>${escapeHtml(document.info.title)} ${escapeHtml(document.info.version)}</title><style>${style}</style></head><body>`,
    `<h1>${escapeHtml(document.info.title)} ${escapeHtml(document.info.version)}</h1>`,
    `<p>${prose(document.info.description)}</p>`,
    table(
      ['Environment', 'Base address'],
      document.servers.map(({ url, description }) => [escapeHtml(description), code(url)]),
    ),
    '<p>Every request carries <code>Authorization: Bearer &lt;key&gt;</code> with a key of its environment. ',
    'Every answer carries <code>x-request-id</code>. ',
    'The same as a document for programs: <a href="/v1/openapi.json">openapi.json</a>.</p>',
    ...operations.map(({ path, method, operation }) => section(base, path, method, operation)),
    '</body></html>',
  ].join('\n');
}

function section(base: string, path: string, method: string, operation: OpenApiOperation): string {
  const form = operation.requestBody?.content['multipart/form-data']?.schema;
  const fields = form ? fieldsOf(form) : (operation.parameters ?? []);
  return [
    `<h2 id="${escapeHtml(operation.operationId)}">${escapeHtml(operation.summary ?? operation.operationId)}</h2>`,
    `<p><code><b class="method">${method.toUpperCase()}</b> ${escapeHtml(path)}</code></p>`,
    operation.description ? `<p>${prose(operation.description)}</p>` : '',
    fields.length === 0 ? '' : table(['Field', 'Type', ''], fields.map(fieldRow)),
    `<pre>${escapeHtml(curl(base, path, method, form !== undefined))}</pre>`,
    table(
      ['Status', ''],
      Object.entries(operation.responses).map(([status, { description }]) => [status, prose(description)]),
    ),
  ].join('\n');
}

type Field = { name: string; required?: boolean; description?: string; schema: OpenApiSchema };

function fieldsOf({ properties = {}, required = [] }: OpenApiSchema): Field[] {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    schema,
    required: required.includes(name),
    ...(schema.description && { description: schema.description }),
  }));
}

function fieldRow({ name, required, description, schema }: Field): string[] {
  const values = schema.enum ? ` One of ${schema.enum.map(code).join(', ')}.` : '';
  const text = prose(description ?? schema.description ?? '');
  return [
    code(name),
    escapeHtml(schema.format ?? schema.type ?? ''),
    `${required ? '<b>Required.</b> ' : ''}${text}${values}`,
  ];
}

function curl(base: string, path: string, method: string, isForm: boolean): string {
  const url = `${base}${path.replace('{id}', 'siann-1')}`;
  const lines = [
    `curl ${method === 'get' || isForm ? '' : `-X ${method.toUpperCase()} `}${url}`,
    '  -H "Authorization: Bearer $SIANN_KEY"',
    ...(isForm ? ['  -F model=siann-1', '  -F file=@talk.mp3'] : []),
  ];
  return lines.join(' \\\n');
}

function table(head: string[], rows: string[][]): string {
  const row = (cells: string[], tag: string) =>
    `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`;
  return `<table>${row(head, 'th')}${rows.map((cells) => row(cells, 'td')).join('')}</table>`;
}

function code(text: string): string {
  return `<code>${escapeHtml(text)}</code>`;
}

/** Text in which `…` is code. */
function prose(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

function escapeHtml(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return text.replace(/[&<>"]/g, (character) => entities[character]!);
}
