import type { Database } from '../../storage/database.ts';
import type { Projects } from '../projects/projects.ts';
import { createApiKey, derivedText, type FreshKey, hashOf } from './api-key.ts';

/** The playground calls the service with a key, so that its requests are counted and limited like all others. */
export type PlaygroundKeys = { keyOf(project: string, sessionToken: string): Promise<string> };

type Options = { database: Database; projects: Projects; clock?: { now(): number } };

const scopes = JSON.stringify(['transcribe', 'realtime']);

/**
 * One live key for each console session and project, valid as long as the session. Its text is derived from the session's
 * token, which only the browser has: so every node gives the same key, and none keeps it.
 */
export function createPlaygroundKeys({ database, projects, clock = Date }: Options): PlaygroundKeys {
  const { queries } = database;
  const textOf = (token: string, id: string): FreshKey =>
    createApiKey('live', derivedText(token, `playground key ${id}`));

  return {
    async keyOf(project, token) {
      const { id: project_id } = await projects.find(project);
      const playground_session = hashOf(token);
      const made = await queries
        .selectFrom('api_keys')
        .select(['id', 'hash', 'revoked_at', 'signing_secret'])
        .where('playground_session', '=', playground_session)
        .where('project_id', '=', project_id)
        .execute();
      const good = made.find(
        ({ id, hash, revoked_at, signing_secret }) =>
          revoked_at === null && signing_secret === null && hash === textOf(token, id).hash,
      );
      if (good) return textOf(token, good.id).key;
      // Two nodes that are asked at once find the same id, and one of them makes the key.
      const id = `key_${derivedText(token, `playground id ${project_id} ${made.length}`, 16)}`;
      const { key, prefix, hash } = textOf(token, id);
      await queries
        .insertInto('api_keys')
        .values({
          id,
          project_id,
          name: 'Playground',
          environment: 'live',
          prefix,
          hash,
          created_at: new Date(clock.now()).toISOString(),
          scopes,
          playground_session,
        })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .execute();
      return key;
    },
  };
}
