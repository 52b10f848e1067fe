import { errorOfAnswer } from '../client/errors.ts';
import { connectionFailed } from '../client/requests.ts';

/** Sends a request to the console's interface. Throws a SiannError whose message can be shown. */
export async function ask<Answer>(
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body?: object,
): Promise<Answer> {
  const headers = { 'x-siann-console': '1', ...(body && { 'content-type': 'application/json' }) };
  let response: Response;
  try {
    response = await fetch(`/console/api${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
  } catch (cause) {
    throw connectionFailed(location.origin, cause);
  }
  const text = await response.text();
  if (response.ok) return (text === '' ? undefined : JSON.parse(text)) as Answer;
  throw errorOfAnswer(response.status, text, (name) => response.headers.get(name) ?? undefined);
}
