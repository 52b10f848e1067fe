/**
 * Ranks for the jobs of requests that share a queue. The lowest rank goes first, and jobs of equal rank go in the order in
 * which they came.
 */
export type RoundRobinRanks = {
  /** Requests that have jobs out. */
  size(): number;
  jobsOut(requestId: string): number;
  /** Counts a job as out and gives its rank. */
  take(requestId: string): number;
  giveBack(requestId: string): void;
};

/**
 * The first windows of a recording go ahead of the later ones of another, so that nobody waits behind a whole file. From
 * this rank on all jobs are alike: if a longer file's rank went on rising, shorter files would starve it.
 */
const lastRank = 8;

/**
 * A job's rank is one more than its request has out, and never lower than that of the request's earlier job. So requests
 * are served round robin without a queue for each of them (which BullMQ sells as groups), and no node has to know them all.
 */
export function createRoundRobinRanks(): RoundRobinRanks {
  const out = new Map<string, { jobs: number; rank: number }>();
  return {
    size: () => out.size,
    jobsOut: (requestId) => out.get(requestId)?.jobs ?? 0,
    take(requestId) {
      const request = out.get(requestId) ?? { jobs: 0, rank: 0 };
      request.jobs++;
      request.rank = Math.min(lastRank, Math.max(request.rank, request.jobs));
      out.set(requestId, request);
      return request.rank;
    },
    giveBack(requestId) {
      const request = out.get(requestId);
      if (request && --request.jobs === 0) out.delete(requestId);
    },
  };
}
