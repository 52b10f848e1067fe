/** How one request ended, as its client saw it. */
export type Outcome = {
  kind: string;
  keyId: string;
  end: End;
  /** What the service calls it, where an answer came as far as that. */
  requestId?: string;
  /** What the client was told it is charged for; undefined where it was not told that it is charged. */
  toldMs?: number;
  /** The most that it may be charged for where the answer was lost. */
  audioMs: number;
  /** For `fault`: what is wrong. For `retryable`: the code or status. */
  detail?: string;
  retryAfterMs?: number;
};

/**
 * `right` is the right transcript, or the right refusal of a bad request. `retryable` is an error after which a client comes
 * again. `broken` is a connection that ended with its node. `left` is a client that went away by itself.
 */
export type End = 'right' | 'retryable' | 'broken' | 'left' | 'fault';

export function countBy(names: string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  const most = [...counts].sort(([, one], [, other]) => other - one);
  return most.map(([name, count]) => `${count} × ${name}`).join(', ');
}
