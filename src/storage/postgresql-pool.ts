import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { ServiceError } from '../errors/service-error.ts';

const maxConnections = 10;
/** How long to wait for a new connection, or for a free one of the pool. */
const connectMilliseconds = 2_000;
const patientConnectMilliseconds = 10_000;
/** Queries for which a client waits take milliseconds. */
const queryMilliseconds = 2_000;
/** The locks of a node that was cut off are released after this long. */
const unfinishedMilliseconds = 10_000;

type Options = {
  url: string;
  /** For work that may take long: no query is given up. */
  patient?: boolean;
};

/**
 * The connections. They throw `unavailable` for every error which shows that the database cannot be reached or cannot work
 * now. A connection that failed in this way is not used again. One that is idle for ten seconds is closed, before a firewall
 * on the way drops it.
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
  // A connection that breaks while idle is replaced when it is next needed; if that fails, the query fails.
  pool.on('error', () => {});
  // A connection that breaks in use fails its query. Without a listener, its error event would also end the process.
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

/** Set with a query, because PgBouncer refuses it as a parameter of the connection. */
async function limitUnfinished(client: pg.ClientBase): Promise<void> {
  await client.query(`SET idle_in_transaction_session_timeout = ${unfinishedMilliseconds}`);
}

function guarded(client: pg.PoolClient): PostgresPoolClient {
  let lost: unknown;
  const query = async (text: string, values: unknown[]) => {
    // The connection is still busy with the unanswered query, so that others, such as a rollback, would wait for it.
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

/** Errors that are not of the server are of the connection. The server's own codes for a lost connection are 08, 28, 3D, 57P. */
function isLost(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return /^(08|28|3D|57P)/.test(error.code ?? '');
  return error instanceof Error && !(error instanceof TypeError || error instanceof RangeError);
}

/** Rolled back because of another transaction (40), out of connections, memory or disk (53), cancelled (57), read only (25006). */
function isPassing(error: unknown): boolean {
  return error instanceof pg.DatabaseError && /^(40|53|57|25006$|55P03$)/.test(error.code ?? '');
}

/** Counts and milliseconds are far below 2^53; pg would give them as text. */
function numbersAsNumbers(type: number, format?: 'text' | 'binary') {
  const { INT8, NUMERIC } = pg.types.builtins;
  if (type === INT8 || type === NUMERIC) return Number;
  return pg.types.getTypeParser(type, format as 'text');
}
