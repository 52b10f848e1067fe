/** What the routes and the process share about the service as a whole. */
export type ServiceState = {
  /** No new work is taken, and what runs may finish. */
  draining: boolean;
  /** Requests that have come in and not ended: answered or abandoned, and their leases closed. */
  requestsOpen: number;
};

const lookEveryMs = 20;

/** Resolves when no request is open any more, or when there is no time left. */
export async function requestsEnded(state: ServiceState, withinMs: number): Promise<void> {
  const until = performance.now() + withinMs;
  while (state.requestsOpen > 0 && performance.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  }
}
