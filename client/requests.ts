import { errorOfAnswer, SiannError } from './errors.ts';
import { wait } from './wait.ts';

type RequestOptions = {
  method?: 'GET' | 'POST';
  /** Called for each try, because a body can be sent only once. */
  body?: () => FormData;
  signal?: AbortSignal | undefined;
};

/** Resolves with an answer that has a good status, or throws a SiannError. */
export type SendRequest = (path: string, options?: RequestOptions) => Promise<Response>;

type RequesterOptions = {
  baseUrl: string;
  headers: Readonly<Record<string, string>>;
  maxRetries: number;
  fetch: typeof fetch;
};

const firstDelaySeconds = 0.5;
const longestDelaySeconds = 8;
/** If the service asks for a longer wait, its error is thrown, and the caller decides. */
const longestWaitSeconds = 60;

export function createRequester({ baseUrl, headers, maxRetries, fetch }: RequesterOptions): SendRequest {
  const send = async (path: string, { method = 'GET', body, signal }: RequestOptions): Promise<Attempt> => {
    const init = { method, headers, ...(body && { body: body() }), ...(signal && { signal }) };
    let response: Response;
    try {
      response = await fetch(`${baseUrl}${path}`, init);
    } catch (cause) {
      signal?.throwIfAborted();
      return { failure: connectionFailed(baseUrl, cause), retry: true };
    }
    if (response.ok) return { response };
    const header = (name: string) => response.headers.get(name) ?? undefined;
    const failure = errorOfAnswer(response.status, await response.text(), header);
    return { failure, retry: mayRetry(response.status, header('x-should-retry')) };
  };

  return async (path, options = {}) => {
    for (let tries = 0; ; tries += 1) {
      options.signal?.throwIfAborted();
      const attempt = await send(path, options);
      if ('response' in attempt) return attempt.response;
      const seconds = attempt.failure.retryAfterSeconds ?? backOffSeconds(tries);
      if (!attempt.retry || tries >= maxRetries || seconds > longestWaitSeconds) throw attempt.failure;
      await wait(seconds * 1000, options.signal);
    }
  };
}

type Attempt = { response: Response } | { failure: SiannError; retry: boolean };

function mayRetry(status: number, shouldRetry: string | undefined): boolean {
  if (shouldRetry === 'true' || shouldRetry === 'false') return shouldRetry === 'true';
  return status === 408 || status === 429 || status >= 500;
}

/** The wait before the next try: twice as long each time, and partly random, so that clients do not all come back at once. */
export function backOffSeconds(tries: number): number {
  const seconds = Math.min(longestDelaySeconds, firstDelaySeconds * 2 ** tries);
  return seconds * (0.75 + Math.random() / 4);
}

export function connectionFailed(baseUrl: string, cause: unknown): SiannError {
  const reason = rootMessage(cause);
  return new SiannError({
    message: `There is no answer from ${baseUrl} (${reason}). Check the address, that the service runs, and that its certificate is trusted.`,
    code: 'connection_failed',
    cause,
  });
}

/** `fetch` itself only says `fetch failed`. The reason is the innermost cause. */
function rootMessage(error: unknown): string {
  let found = error;
  while (found instanceof Error && found.cause instanceof Error) found = found.cause;
  return found instanceof Error ? found.message || found.name : String(found);
}
