/**
 * The tenants, each with a bucket in one database. The neighbour has the loaded data set; these are
 * the others.
 */
import type pg from "pg";
import { bucketLinesOf, type Tenant } from "../data-set/data-set.ts";
import { generatedDataSet } from "../data-set/generated-data-set.ts";
import { type ImportOptions, importLines } from "../database/import-lines.ts";

export const wellBehaved: Tenant = {
  organisationId: "organisation-that-is-well-behaved",
  bucketId: "0b4c3a52-7d1e-4f60-8a21-9c3e5d7f1a01",
  hostname: "well-behaved.example.com",
};

export const importing: Tenant = {
  organisationId: "organisation-that-imports",
  bucketId: "0b4c3a52-7d1e-4f60-8a21-9c3e5d7f1a02",
  hostname: "importing.example.com",
};

/** Another seed than that of the loaded data. */
const seed = 2;

/** Gives a tenant a bucket with so many uploads. */
export async function fillBucket(tenant: Tenant, uploads: number, options: ImportOptions) {
  await importLines(generatedDataSet(uploads, seed).lines(), bucketLinesOf(tenant), options);
}

/** The lines of an import of some uploads into a bucket of the tenant. */
export function* linesOf(tenant: Tenant, uploads: number): Generator<string> {
  for (const line of bucketLinesOf(tenant)) yield `${line}\n`;
  for (const line of generatedDataSet(uploads, seed).lines() as Iterable<string>) yield `${line}\n`;
}

/** Removes a bucket with all that is in it, and what that leaves behind. */
export async function removeBucket(client: pg.Client, { bucketId }: Tenant): Promise<void> {
  const { rows } = await client.query<{ name: string }>(tablesOfBuckets);
  for (const { name } of rows) {
    await client.query(`delete from uploads.${name} where bucket_id = $1`, [bucketId]);
  }
  // Autovacuum would do this later, and disturb the measurement.
  await client.query("vacuum (analyze)");
}

// Uploads are in folders, and all is in a bucket: what refers to other rows goes before them.
const tablesOfBuckets = `
  select table_name as name
  from information_schema.columns join information_schema.tables using (table_schema, table_name)
  where table_schema = 'uploads' and column_name = 'bucket_id' and table_type = 'BASE TABLE'
  order by table_name = 'buckets', table_name in ('folders', 'integrations'), table_name`;
