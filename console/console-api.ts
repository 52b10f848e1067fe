import { errorOfAnswer } from '../client/errors.ts';
import { connectionFailed } from '../client/requests.ts';

export type Environment = 'live' | 'test';

export type Plan = {
  id: 'free' | 'basic' | 'professional' | 'enterprise';
  quotaMinutes: number | null;
  requestsPerSecond: number;
  concurrentConnections: number;
};

export type Session = { user: { name: string }; addresses: Record<Environment, string>; plans: Plan[] };

export type Project = { id: string; name: string; plan: Plan['id']; allow: string[]; createdAt: string };

export type Key = {
  id: string;
  name: string;
  environment: Environment;
  prefix: string;
  signed: boolean;
  createdAt: string;
  revokedAt: string | null;
  lastUsed: string | null;
};

export type UsageReport = {
  from: string;
  to: string;
  keys: {
    key: Pick<Key, 'id' | 'name' | 'prefix' | 'environment' | 'revokedAt'>;
    minutes: number;
    requests: number;
    daily: { date: string; minutes: number; requests: number }[];
    quota: number | null;
    remaining: number | null;
  }[];
};

export type ServiceView = {
  processes: number;
  busySlots: number;
  queued: number;
  restarts: number;
  rssBytes: number;
  startedAt: string;
  serviceMemoryBytes: number;
  openStreams: number;
  transcriptions: number;
  audioSeconds: number;
  realTimeFactor: number | null;
  errors: { code: string; count: number; lastAt: string }[];
};

/** Asks the console's own interface; throws a SiannError with a sentence that can be shown. */
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
