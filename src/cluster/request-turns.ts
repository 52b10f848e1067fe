/** Which turn a request's next job has among all that wait; the lowest goes first, and those of equal turn as they came. */
export type RequestTurns = {
  /** Requests that have jobs out. */
  size(): number;
  jobsOut(requestId: string): number;
  take(requestId: string): number;
  giveBack(requestId: string): void;
};

/**
 * The first windows of a recording go ahead of the later ones of another, so that nobody waits behind a whole file. From
 * there on all are alike and come in order: were a longer file's turn ever later, shorter ones would starve it.
 */
const lastTurn = 8;

/**
 * A job's turn is one more than its request has out, and never before that of an earlier one: requests take turns without
 * a queue for each, which BullMQ sells as groups, and without anybody who would have to know them all.
 */
export function createRequestTurns(): RequestTurns {
  const out = new Map<string, { jobs: number; turn: number }>();
  return {
    size: () => out.size,
    jobsOut: (requestId) => out.get(requestId)?.jobs ?? 0,
    take(requestId) {
      const request = out.get(requestId) ?? { jobs: 0, turn: 0 };
      request.jobs++;
      request.turn = Math.min(lastTurn, Math.max(request.turn, request.jobs));
      out.set(requestId, request);
      return request.turn;
    },
    giveBack(requestId) {
      const request = out.get(requestId);
      if (request && --request.jobs === 0) out.delete(requestId);
    },
  };
}
