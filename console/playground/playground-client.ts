import { Siann, SiannError } from '../../client/siann.ts';
import { ask } from '../console-api.ts';

/**
 * The client with the project's playground key, which stays in memory. The key is made anew when the service starts, so
 * one that is refused is asked for again, once.
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
