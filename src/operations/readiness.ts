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
  /** The services are asked once in this time, however often somebody wants to know. */
  askEveryMs?: number;
};

type Pings = { database?: boolean; redis?: boolean };

const answerWithinMs = 2_000;

/** Says whether the service can work now. */
export function createReadiness(options: ReadinessOptions): Readiness {
  const { state, recogniser, database, redis, askEveryMs = 1_000 } = options;
  let wasReady = false;
  let asked: { atMs: number; pings: Promise<Pings> } | undefined;
  const ping = async (): Promise<Pings> => {
    const services = Object.entries({ database, redis }).filter(([, service]) => service !== undefined);
    const answered = services.map(async ([name, service]) => [name, await answers(service!.ping())] as const);
    return Object.fromEntries(await Promise.all(answered));
  };
  const readPings = (): Promise<Pings> => {
    if (!asked || performance.now() - asked.atMs >= askEveryMs) {
      asked = { atMs: performance.now(), pings: ping() };
    }
    return asked.pings;
  };
  recogniser.ready().then(
    () => {
      wasReady = true;
    },
    () => {},
  );
  return async () => {
    const pings = await readPings();
    const model = recogniser.load().processes > 0;
    wasReady ||= model;
    const checks = { model, ...pings };
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
