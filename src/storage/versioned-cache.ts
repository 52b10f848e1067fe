import type { Database } from './database.ts';

export type VersionedCache<Row> = {
  /** Gives what `load` gave at the present version of the database, or loads it. Missing rows are loaded every time. */
  get(name: string, load: () => Promise<Row | undefined>): Promise<Row | undefined>;
};

type Options = { database: Pick<Database, 'version'>; maxRows?: number };

/** Rows of one version of the database. Any change, by any process, empties the cache. */
export function createVersionedCache<Row>({ database, maxRows = 10_000 }: Options): VersionedCache<Row> {
  const rows = new Map<string, Row>();
  let rowsVersion: number | undefined;
  return {
    async get(name, load) {
      const version = database.version();
      if (version === undefined) return load();
      if (version !== rowsVersion || rows.size >= maxRows) {
        rows.clear();
        rowsVersion = version;
      }
      const known = rows.get(name);
      if (known !== undefined) return known;
      const row = await load();
      if (row !== undefined && rowsVersion === version) rows.set(name, row);
      return row;
    },
  };
}
