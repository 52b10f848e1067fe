import { readFile } from 'node:fs/promises';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { ServiceError } from '../../errors/service-error.ts';
import { renderMarkdown } from './markdown.ts';
import { docsPages, docsPolicy, frameDocs } from './page-frame.ts';

const folder = new URL('../../../docs/', import.meta.url);
/** The page of live captions is not in guides/, because the project's documents use it too. */
const fileOf = (name: string) => new URL(name === 'realtime' ? 'realtime.md' : `guides/${name}.md`, folder);

/** The guides in docs/ as web pages. */
export function guideRoutes(app: FastifyInstance): void {
  const guides = new Map<string, Promise<string>>();
  const readGuide = (name: string): Promise<string> => {
    const page = docsPages.find((candidate) => candidate.name === name);
    if (!page || name === 'reference') throw new ServiceError('not_found');
    const known = guides.get(name);
    if (known) return known;
    const rendered = readFile(fileOf(name), 'utf8').then((text) =>
      frameDocs({ ...page, body: renderMarkdown(text) }),
    );
    guides.set(name, rendered);
    // A file that could not be read is tried again.
    rendered.catch(() => guides.delete(name));
    return rendered;
  };
  const config = { admission: 'open' } as const;
  const schema = { hide: true };

  app.get('/docs', {
    config,
    schema,
    handler: async (_request, reply) => sendPage(reply, await readGuide('start')),
  });
  app.get<{ Params: { name: string } }>('/docs/:name', {
    config,
    schema,
    handler: async (request, reply) => sendPage(reply, await readGuide(request.params.name)),
  });
}

export function sendPage(reply: FastifyReply, page: string): FastifyReply {
  return reply.type('text/html; charset=utf-8').header('content-security-policy', docsPolicy).send(page);
}
