import { Siann, SiannError } from '../../client/siann.ts';
import { ask } from '../console-api.ts';

/**
 * Gives `work` a client with the playground key of this session, which is kept only in memory. Somebody may revoke it. So when a
 * key is refused, another one is asked for, once.
 */
export async function withPlaygroundClient<Result>(
  projectId: string,
  work: (siann: Siann) => Promise<Result>,
): Promise<Result> {
  const attempt = async () => {
    const { key } = await ask<{ key: string }>('POST', `/projects/${projectId}/playground-key`, {});
    return work(new Siann({ apiKey: key, baseUrl: `${location.origin}/v1` }));
  };
  return attempt().catch((error) => {
    if (error instanceof SiannError && error.code === 'invalid_api_key') return attempt();
    throw error;
  });
}
