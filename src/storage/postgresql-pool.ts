import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { ServiceError } from '../errors/service-error.ts';

const maxConnections = 10;
/** For a new connection, or for one of the pool to be free. */
const connectMilliseconds = 2_000;
const patientConnectMilliseconds = 10_000;
/** Everything that is asked while somebody waits takes milliseconds. */
const queryMilliseconds = 2_000;
/** What a node that was cut off has locked is free again after this long. */
const unfinishedMilliseconds = 10_000;

type Options = {
  url: string;
  /** For work that may take its time: no query is given up. */
  patient?: boolean;
};

/**
 * The connections, which say `unavailable` for whatever shows that the database cannot be reached or cannot work now. One
 * that failed so is not used again; one that is idle for ten seconds is closed, before anything on the way forgets it.
 */
export function createPostgresPool({ url, patient = false }: Options): PostgresPool {
  const pool = new pg.Pool({
    connectionString: url,
    max: maxConnections,
    keepAlive: true,
    connectionTimeoutMillis: patient ? patientConnectMilliseconds : connectMilliseconds,
    ...(!patient && { query_timeout: queryMilliseconds, onConnect: limitUnfinished }),
    types: { getTypeParser: numbersAsNumbers as typeof pg.types.getTypeParser },
  });
  // A connection that breaks while idle is replaced when it is next needed, and fails there if it cannot be.
  pool.on('error', () => {});
  // One that breaks in use fails the query that uses it; unheard, it would end the process as well.
  pool.on('connect', (client) => void client.on('error', () => {}));
  return {
    async connect() {
      try {
        return guarded(await pool.connect());
      } catch (error) {
        throw translated(error);
      }
    },
    end: () => pool.end(),
  };
}

/** Not a setting of the connection itself, which PgBouncer would refuse. */
async function limitUnfinished(client: pg.ClientBase): Promise<void> {
  await client.query(`SET idle_in_transaction_session_timeout = ${unfinishedMilliseconds}`);
}

function guarded(client: pg.PoolClient): PostgresPoolClient {
  let lost: unknown;
  const query = async (text: string, values: unknown[]) => {
    // An unanswered query stands in the way of those after it, such as the end of its transaction.
    if (lost) throw lost;
    try {
      return await client.query(text, values);
    } catch (error) {
      const known = translated(error);
      if (isLost(error)) lost = known;
      throw known;
    }
  };
  return {
    query: query as unknown as PostgresPoolClient['query'],
    release: () => client.release(lost !== undefined),
  };
}

function translated(error: unknown): unknown {
  return isLost(error) || isPassing(error) ? new ServiceError('unavailable', { cause: error }) : error;
}

/** What the server itself did not say is about the way to it; and it says when it ends or refuses one (08, 28, 3D, 57P). */
function isLost(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return /^(08|28|3D|57P)/.test(error.code ?? '');
  return error instanceof Error && !(error instanceof TypeError || error instanceof RangeError);
}

/** Undone for the sake of another (40), out of connections, memory or disk (53), cancelled (57), or only a copy (25006). */
function isPassing(error: unknown): boolean {
  return error instanceof pg.DatabaseError && /^(40|53|57|25006$|55P03$)/.test(error.code ?? '');
}

/** Counts and milliseconds are far below 2^53; pg would give them as text. */
function numbersAsNumbers(type: number, format?: 'text' | 'binary') {
  const { INT8, NUMERIC } = pg.types.builtins;
  if (type === INT8 || type === NUMERIC) return Number;
  return pg.types.getTypeParser(type, format as 'text');
}
