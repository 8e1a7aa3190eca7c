/**
 * Loads a database without the indexes that only readers need, and makes them afterwards, as a
 * restored dump does. Rows are what they would have been; it takes a fraction of the time.
 */
import type pg from "pg";

/** With what PostgreSQL has by default, indexes of ten million rows are sorted on disk. */
const sortMemory = "1GB";

/** What the importer itself finds rows by, beside the keys. */
const neededByImports = ["uploads_of_folder"];

export async function indexesLater(
  client: pg.ClientBase,
  load: () => Promise<void>,
): Promise<void> {
  const { rows } = await client.query<{ name: string; definition: string }>(listIndexes, [
    neededByImports,
  ]);
  for (const { name } of rows) await client.query(`drop index uploads.${name}`);
  await load();
  await client.query(`set maintenance_work_mem = '${sortMemory}'`);
  for (const { definition } of rows) await client.query(definition);
}

// Those of constraints stay: without them there would be other rows. So do those of other tables:
// the importer finds zones by them.
const listIndexes = `
  select relname as name, pg_get_indexdef(indexrelid) as definition
  from pg_index join pg_class on pg_class.oid = indexrelid
  where indrelid in ('uploads.uploads'::regclass, 'uploads.folders'::regclass)
    and relname <> all ($1)
    and not indisunique and not exists (select from pg_constraint where conindid = indexrelid)
  order by relname`;
