import type { Recogniser } from '../speech/recogniser.ts';
import type { ServiceState } from './service-state.ts';

export type ReadinessAnswer = {
  status: 'ready' | 'starting' | 'draining' | 'failing';
  checks: { model: boolean; database?: boolean; redis?: boolean };
};

export type Readiness = () => Promise<ReadinessAnswer>;

export type ReadinessOptions = {
  state: ServiceState;
  recogniser: Pick<Recogniser, 'load' | 'ready'>;
  /** The services that the work depends on, where there are any. */
  database?: { ping(): Promise<unknown> };
  redis?: { ping(): Promise<unknown> };
};

const answerWithinMs = 2_000;

/** Says whether the service can work now. */
export function createReadiness({ state, recogniser, database, redis }: ReadinessOptions): Readiness {
  let wasReady = false;
  recogniser.ready().then(
    () => {
      wasReady = true;
    },
    () => {},
  );
  return async () => {
    const model = recogniser.load().processes > 0;
    wasReady ||= model;
    const [databaseAnswers, redisAnswers] = await Promise.all([
      database && answers(database.ping()),
      redis && answers(redis.ping()),
    ]);
    const checks = {
      model,
      ...(databaseAnswers !== undefined && { database: databaseAnswers }),
      ...(redisAnswers !== undefined && { redis: redisAnswers }),
    };
    if (state.draining) return { status: 'draining', checks };
    if (!Object.values(checks).includes(false)) return { status: 'ready', checks };
    return { status: wasReady ? 'failing' : 'starting', checks };
  };
}

async function answers(ping: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), answerWithinMs);
  });
  const answered = ping.then(
    () => true,
    () => false,
  );
  return Promise.race([answered, late]).finally(() => clearTimeout(timer));
}
