/** For tests: sources of fake stores, runs in this process, and what the index has of them. */
import { createLogger, openPool } from "@stowage/process";
import type { TestDatabase } from "@stowage/process/testing";
import type pg from "pg";
import type { BucketRecord } from "../../import/records/record.ts";
import {
  createUploadsDatabase,
  folderPath,
  isOfBucket,
  select,
  withConnection,
} from "../../import/testing/import.ts";
import { deterministicBucketId } from "../../model/deterministic-ids.ts";
import { isInSubtree } from "../../model/tree-key.ts";
import { createSource } from "../create-source.ts";
import { type Mount, pathOfKey } from "../keys.ts";
import type { RunEnd } from "../runs/end-run.ts";
import { type RunOptions, runSource } from "../runs/run-source.ts";
import type { S3Location } from "../source.ts";
import { FakeStore } from "./fake-store.ts";

export const hostname = "photos.example.com";
export const bucketId = deterministicBucketId(hostname);

/** Adds a source of a fake store, or changes it: an S3 source by its row. Makes the bucket. */
export async function addSource(
  databaseUrl: string,
  name: string,
  mountPath = "/",
  options: { readonly everyMs?: number; readonly location?: Partial<S3Location> } = {},
): Promise<void> {
  const known = await select(databaseUrl, "select from uploads.buckets where bucket_id = $1", [
    bucketId,
  ]);
  const newBucket: BucketRecord = {
    kind: "bucket",
    line: 0,
    bucketId,
    hostname,
    organisationId: "acme",
    isPrimary: true,
  };
  const bucket = known.length > 0 ? undefined : newBucket;
  const { everyMs } = options;
  const location = { kind: "s3", bucket: "acme-photos", prefix: "", ...options.location } as const;
  await withConnection(databaseUrl, (client) =>
    createSource(client, { bucketId, bucket, name, location, mountPath, everyMs }),
  );
}

/** What a test of runs needs. */
export interface RunsTest {
  readonly database: TestDatabase;
  readonly pool: pg.Pool;
  readonly store: FakeStore;
  close(): Promise<void>;
}

/** Makes a database and a store, both empty. */
export async function startRunsTest(): Promise<RunsTest> {
  const database = await createUploadsDatabase();
  const pool = openTestPool(database.databaseUrl);
  return {
    database,
    pool,
    store: new FakeStore(),
    async close() {
      await pool.end();
      await database.drop();
    },
  };
}

/** @param options such as another class of connections. */
export function openTestPool(
  databaseUrl: string,
  options: Partial<Parameters<typeof openPool>[0]> = {},
): pg.Pool {
  const logger = createLogger({ name: "test", level: "silent" });
  const applicationName = "stowage-test";
  return openPool({ databaseUrl, connectionsMax: 8, applicationName, logger, ...options });
}

type TestRunOptions = Partial<Omit<RunOptions, "pool">> & {
  readonly pageSize?: number;
  readonly ranges?: number;
  readonly divides?: boolean;
  readonly madeAt?: Date;
};

/** Runs the source. */
export function runFake(
  pool: pg.Pool,
  name: string,
  store: FakeStore,
  options: TestRunOptions = {},
): Promise<RunEnd> {
  const { pageSize = 7, ranges = 3, divides = false, madeAt, ...others } = options;
  return runSource(name, {
    pool,
    openSource: async ({ mountPath }) => ({
      lister: store.lister({ pageSize, ranges, divides }),
      mount: { prefix: "", mountPath },
      ...(madeAt && { madeAt }),
    }),
    isDryRun: false,
    isConfirmed: false,
    leaseMs: 60_000,
    deletedDataDays: 30,
    waitsForLease: false,
    signal: new AbortController().signal,
    onProgress: () => undefined,
    ...others,
  });
}

/** What the index has under a folder: uploads as `path name size time`, and the folders. */
export async function readIndex(databaseUrl: string, mountPath = "/"): Promise<IndexContents> {
  const isUnder = (key: string) => isInSubtree(key, "uploads.tree_key($2)");
  const uploads = await select<{ line: string }>(
    databaseUrl,
    `select concat_ws(' ', path, filename, size_bytes,
       (extract(epoch from updated_at) * 1000000)::bigint) as line
     from uploads.uploads
     where ${isOfBucket} and ${isUnder("uploads.tree_key(path)")}`,
    [bucketId, mountPath],
  );
  const folders = await select<{ path: string }>(
    databaseUrl,
    `select ${folderPath} from uploads.folders where ${isOfBucket} and ${isUnder("tree_key")}`,
    [bucketId, mountPath],
  );
  return {
    uploads: uploads.map(({ line }) => line).toSorted(),
    folders: folders.map(({ path }) => path).toSorted(),
  };
}

interface IndexContents {
  readonly uploads: readonly string[];
  readonly folders: readonly string[];
}

/**
 * How many uploads were inserted, updated and deleted so far, by PostgreSQL's own counters.
 *
 * @param open connections that stay open.
 */
export async function writtenRows(databaseUrl: string, open = 0): Promise<number[]> {
  // The counters of a connection are complete when it has ended.
  const others = `select from pg_stat_activity where backend_type = 'client backend'
    and datname = current_database() and pid <> pg_backend_pid()`;
  while ((await select(databaseUrl, others)).length > open);
  const [row] = await select<{ counts: number[] }>(
    databaseUrl,
    `select array[n_tup_ins, n_tup_upd, n_tup_del]::int[] as counts
     from pg_stat_user_tables where schemaname = 'uploads' and relname = 'uploads'`,
  );
  return row?.counts ?? [];
}

/** What the index must have of a store. */
export function contentsOf(store: FakeStore, mountPath = "/"): IndexContents {
  const mount: Mount = { prefix: "", mountPath };
  const folders = new Set<string>(ancestorsOf(mountPath));
  const uploads: string[] = [];
  for (const [key, { sizeBytes, updatedAtMicros }] of store.objects) {
    const { path, filename } = pathOfKey(key, sizeBytes, mount);
    for (const folder of ancestorsOf(path)) folders.add(folder);
    if (filename !== undefined)
      uploads.push([path, filename, sizeBytes, updatedAtMicros].join(" "));
  }
  const inside = [...folders].filter((path) => path === mountPath || isInside(path, mountPath));
  return { uploads: uploads.toSorted(), folders: inside.toSorted() };
}

function isInside(path: string, mountPath: string): boolean {
  return path.startsWith(mountPath === "/" ? "/" : `${mountPath}/`);
}

function ancestorsOf(path: string): string[] {
  const segments = path === "/" ? [] : path.slice(1).split("/");
  return [...segments.keys(), segments.length].map((end) => `/${segments.slice(0, end).join("/")}`);
}
