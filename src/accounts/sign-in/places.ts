import { ServiceError } from '../../errors/service-error.ts';

/** Lets some work run at once, lets some more wait for it, and sends the rest away. */
export type Places = { run<Result>(work: () => Promise<Result>): Promise<Result> };

export function createPlaces({ running, waiting }: { running: number; waiting: number }): Places {
  const queue: (() => void)[] = [];
  let taken = 0;

  return {
    async run(work) {
      if (taken >= running) {
        if (queue.length >= waiting) throw busy();
        // Whoever leaves hands its place on, so that nobody can come in between.
        await new Promise<void>((resolve) => void queue.push(resolve));
      } else taken += 1;
      try {
        return await work();
      } finally {
        const next = queue.shift();
        if (next) next();
        else taken -= 1;
      }
    },
  };
}

function busy(): ServiceError {
  const message = 'Too many people are signing in at this moment. Try again in a few seconds.';
  return new ServiceError('rate_limit_exceeded', { message, retryAfterSeconds: 2 });
}
