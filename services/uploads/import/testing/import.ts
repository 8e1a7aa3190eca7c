/** For tests: imports in this process, and what is in the tables afterwards. */
import { createTestDatabase, type TestDatabase } from "@stowage/process/testing";
import pg from "pg";
import { schemaDirectory, schemaName } from "../../postgres/prepare-database.ts";
import type { MergeOptions } from "../merge/merge-staged.ts";
import { type LineTotals, ndjsonRecords } from "../ndjson/ndjson-records.ts";
import { ErrorReport } from "../report.ts";
import { type ImportResult, runImport } from "../run-import.ts";

export function createUploadsDatabase(): Promise<TestDatabase> {
  return createTestDatabase({ schema: schemaName, directory: schemaDirectory });
}

interface ImportedLines {
  /** Undefined when lines were wrong and nothing was kept. */
  readonly result: ImportResult | undefined;
  /** The report of the wrong lines. */
  readonly errors: string;
  readonly totals: LineTotals;
}

interface ImportOptions {
  readonly bucketId?: string;
  readonly skipsWrongLines?: boolean;
  readonly merge?: Partial<MergeOptions>;
}

/** Imports lines, given as JSON values or as text. */
export async function importLines(
  databaseUrl: string,
  lines: readonly unknown[],
  options: ImportOptions = {},
): Promise<ImportedLines> {
  const text = lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`);
  const { bucketId, skipsWrongLines = false, merge } = options;
  const errors = new ErrorReport();
  const totals: LineTotals = { lines: 0, orphans: 0 };
  const onProgress = () => undefined;
  const input = asStream(Buffer.from(text.join("")));
  const source = { bucketId, skipsWrongLines, errors, onProgress };
  const isKept = () => errors.count === 0 || skipsWrongLines;
  const result = await withConnection(databaseUrl, (client) =>
    runImport(client, ndjsonRecords(input, source, totals), {
      uploadColumns: "all",
      mayChangeBuckets: true,
      ...merge,
      beforeMerge() {
        if (!isKept()) throw new NotKept();
      },
    }),
  ).catch((error) => {
    if (!(error instanceof NotKept)) throw error;
    return undefined;
  });
  return { result, errors: errors.text(), totals };
}

class NotKept extends Error {}

async function* asStream(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

export async function withConnection<T>(
  databaseUrl: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl, options: "-c TimeZone=UTC" });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** In SQL: whether a row is of the bucket with the ID `$1`. */
export const isOfBucket =
  "bucket_number = (select bucket_number from uploads.buckets where bucket_id = $1)";

/** In SQL: the path of a row of folders. */
export const folderPath = "uploads.path_of(tree_key, path) as path";

export function select<Row extends pg.QueryResultRow>(
  databaseUrl: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  return withConnection(
    databaseUrl,
    async (client) => (await client.query<Row>(text, values)).rows,
  );
}

/** Everything in the index, with PostgreSQL's mark of when each row was last written. */
export function readTables(databaseUrl: string): Promise<unknown[]> {
  return select(
    databaseUrl,
    `select 1 as rank, xmin::text, to_jsonb(b) as row from uploads.buckets b
     union all select 2, xmin::text, to_jsonb(i) from uploads.integrations i
     union all select 3, xmin::text, to_jsonb(f) from uploads.folders f
     union all select 4, xmin::text, to_jsonb(u) from uploads.uploads u
     order by 1, 3`,
  );
}

export function bucketLine(bucketId: string, members: object = {}) {
  const hostname = `${bucketId}.example.com`;
  return { bucket: { bucketId, hostname, organisationId: "org", ...members } };
}

/** The colour of a folder, in SQL. */
export const colour = `coalesce(substring(settings from '"colour":"([^"]*)"'), '') as colour`;
