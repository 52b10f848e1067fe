import type { FastifyInstance } from 'fastify';
import { sendPage } from './guide-routes.ts';
import { escapeHtml } from './markdown.ts';
import {
  describeRoutes,
  type OpenApiDocument,
  type OpenApiOperation,
  type OpenApiOptions,
  type OpenApiSchema,
} from './openapi.ts';
import { frameDocs } from './page-frame.ts';

/** The reference as a page for people. It is made from the schemas, and it runs no script and loads nothing. */
export function docsPage(app: FastifyInstance, { servers }: OpenApiOptions): void {
  let page = '';
  app.addHook('onReady', async () => {
    page = renderDocs(describeRoutes(app, servers));
  });
  app.get('/docs/reference', {
    config: { admission: 'open' },
    schema: { hide: true },
    handler: async (_request, reply) => sendPage(reply, page),
  });
}

function renderDocs(document: OpenApiDocument): string {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  );
  const { url } = document.servers[0]!;
  const base = url.startsWith('/') ? `https://HOST${url}` : url;
  const body = [
    `<h1>${escapeHtml(document.info.title)} ${escapeHtml(document.info.version)}</h1>`,
    `<p>${prose(document.info.description)}</p>`,
    table(
      ['Environment', 'Base address'],
      document.servers.map(({ url, description }) => [escapeHtml(description), code(url)]),
    ),
    '<p>Every request carries <code>Authorization: Bearer &lt;key&gt;</code> with a key of its environment. ',
    'Every answer carries <code>x-request-id</code>. For programs, the same is in ',
    '<a href="/v1/openapi.json">openapi.json</a>, and live captions are in <a href="/v1/asyncapi.json">asyncapi.json</a>.</p>',
    ...operations.map(({ path, method, operation }) => section(base, path, method, operation)),
  ];
  return frameDocs({ name: 'reference', title: 'Reference', body: body.join('\n') });
}

function section(base: string, path: string, method: string, operation: OpenApiOperation): string {
  const form = operation.requestBody?.content['multipart/form-data']?.schema;
  const fields = form ? fieldsOf(form) : (operation.parameters ?? []);
  return [
    `<h2 id="${escapeHtml(operation.operationId)}">${escapeHtml(operation.summary ?? operation.operationId)}</h2>`,
    `<p><code><b class="method">${method.toUpperCase()}</b> ${escapeHtml(path)}</code></p>`,
    operation.description ? `<p>${prose(operation.description)}</p>` : '',
    fields.length === 0 ? '' : table(['Field', 'Type', 'Meaning'], fields.map(fieldRow)),
    `<pre tabindex="0">${escapeHtml(curl(base, path, method, form !== undefined))}</pre>`,
    table(
      ['Status', 'Meaning'],
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
  const inside = `${row(head, 'th')}${rows.map((cells) => row(cells, 'td')).join('')}`;
  return `<div class="wide" tabindex="0"><table>${inside}</table></div>`;
}

function code(text: string): string {
  return `<code>${escapeHtml(text)}</code>`;
}

/** Text in which code stands between backticks. */
function prose(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}
