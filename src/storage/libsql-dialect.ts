/**
 * Kysely over libsql: one connection, every call finished when it returns. A transaction takes microtasks only, unless
 * another process is writing at that moment.
 */
import { setTimeout as delay } from 'node:timers/promises';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type Libsql from 'libsql';
import { retry } from '../async/retry.ts';

type Options = {
  database: Libsql.Database;
  /** Called after every statement that may have changed something. */
  onWrite(): void;
};

type Statement = {
  reader: boolean;
  all(parameters: readonly unknown[]): unknown[];
  run(parameters: readonly unknown[]): { changes: number };
};

export function createLibsqlDialect(options: Options): Dialect {
  return {
    createDriver: () => createDriver(options),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (queries) => new SqliteIntrospector(queries),
  };
}

function createDriver({ database, onWrite }: Options): Driver {
  const connection = createConnection(database, onWrite);
  const execute = async (statement: string) =>
    void (await connection.executeQuery(CompiledQuery.raw(statement)));
  let busy: Promise<void> | undefined;
  let free = () => {};
  return {
    init: async () => {},
    async acquireConnection() {
      while (busy) await busy;
      busy = new Promise((resolve) => {
        free = resolve;
      });
      return connection;
    },
    async releaseConnection() {
      busy = undefined;
      free();
    },
    // A transaction that reads first and writes later could fail in between; taking the write lock at once cannot.
    beginTransaction: () => execute('BEGIN IMMEDIATE'),
    commitTransaction: () => execute('COMMIT'),
    rollbackTransaction: () => execute('ROLLBACK'),
    destroy: async () => void database.close(),
  };
}

/** How long a write waits for the writes of another process, each of which takes about a millisecond. */
const busyMilliseconds = 10_000;

/** More than the product has. The limit is for statements with lists, which have another text for each length. */
const maxStatements = 200;

function createConnection(database: Libsql.Database, onWrite: () => void): DatabaseConnection {
  const statements = new Map<string, Statement>();
  const prepared = (text: string) => {
    const known = statements.get(text);
    if (known) return known;
    const statement = database.prepare(text) as unknown as Statement;
    if (statements.size >= maxStatements) statements.clear();
    statements.set(text, statement);
    return statement;
  };
  const run = <Row>({ sql, parameters }: CompiledQuery): QueryResult<Row> => {
    const statement = prepared(sql);
    try {
      if (statement.reader) return { rows: statement.all(parameters) as Row[] };
      return { rows: [], numAffectedRows: BigInt(statement.run(parameters).changes) };
    } finally {
      if (!/^select/i.test(sql)) onWrite();
    }
  };
  return {
    async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
      const giveUpAt = performance.now() + busyMilliseconds;
      return retry(() => run<Row>(query), {
        mayPass: (error) => isBusy(error) && !database.inTransaction,
        giveUpAt: () => giveUpAt,
        // The holder of the lock may run in this thread too, so the thread must not be blocked.
        pause: () => delay(1 + Math.random() * 4),
      });
    },
    // biome-ignore lint/correctness/useYield: nothing here is read row by row.
    async *streamQuery() {
      throw new Error('Rows cannot be streamed from SQLite.');
    },
  };
}

function isBusy(error: unknown): boolean {
  return String((error as { code?: unknown } | undefined)?.code).startsWith('SQLITE_BUSY');
}
