import type { Database } from './database.ts';

export type VersionedCache<Row> = {
  /** What `load` gives, or gave when the database was as it is now. What is not there is asked for every time. */
  get(name: string, load: () => Promise<Row | undefined>): Promise<Row | undefined>;
};

type Options = { database: Pick<Database, 'version'>; maxRows?: number };

/** Rows as of one version of the database: any change, by any process, empties it. */
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
