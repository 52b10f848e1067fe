import type { Accounts } from '../../accounts/projects/accounts.ts';

/** The key with which the playground calls the service, so that trying it out is counted and limited like anything else. */
export type PlaygroundKeys = { keyOf(project: string): Promise<string> };

const name = 'Playground';

/**
 * One live key for each project, made when it is first needed and made anew with each start of the service, since keys
 * are kept nowhere: it lives in this process and in the pages that asked for it.
 */
export function createPlaygroundKeys({ keys, projects }: Accounts): PlaygroundKeys {
  const known = new Map<string, Promise<{ key: string; id: string; prefix: string }>>();

  const make = async (projectId: string) => {
    const listed = await keys.list(projectId);
    const old = listed.find((key) => key.name === name && key.environment === 'live' && !key.revokedAt);
    // Nobody else has its secret, so signing would only keep the page out.
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
