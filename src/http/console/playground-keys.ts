import type { Accounts } from '../../accounts/projects/accounts.ts';

/** The playground calls the service with a key, so that its requests are counted and limited like all others. */
export type PlaygroundKeys = { keyOf(project: string): Promise<string> };

const name = 'Playground';

/**
 * One live key for each project. It is made when it is first needed, and regenerated after each start of the service: keys
 * are not stored, so only this process and the pages that asked for the key have it.
 */
export function createPlaygroundKeys({ keys, projects }: Accounts): PlaygroundKeys {
  const known = new Map<string, Promise<{ key: string; id: string; prefix: string }>>();

  const make = async (projectId: string) => {
    const listed = await keys.list(projectId);
    const old = listed.find((key) => key.name === name && key.environment === 'live' && !key.revokedAt);
    // The page does not know a signing secret, so signing must be off.
    if (old?.signed) await keys.dropSignature(old.id);
    return old ? keys.regenerate(old.id) : keys.create({ project: projectId, environment: 'live', name });
  };
  const stillGood = async ({ id, prefix }: { id: string; prefix: string }) => {
    const found = await keys.find(id).catch(() => undefined);
    return found !== undefined && !found.revokedAt && !found.signed && found.prefix === prefix;
  };
  const remember = (projectId: string) => {
    const made = make(projectId);
    known.set(projectId, made);
    made.catch(() => known.delete(projectId));
    return made;
  };

  return {
    async keyOf(project) {
      const { id } = await projects.find(project);
      const held = await (known.get(id) ?? remember(id));
      return (await stillGood(held)) ? held.key : (await remember(id)).key;
    },
  };
}
