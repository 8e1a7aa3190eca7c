import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { TestDatabase } from "@stowage/process/testing";
import fc from "fast-check";
import type pg from "pg";
import { findWrong } from "../check/find-wrong.ts";
import { runOn } from "../import/merge/statements.ts";
import { summaryOf } from "../import/report.ts";
import {
  bucketLine,
  createUploadsDatabase,
  importLines,
  isOfBucket,
  select,
  withConnection,
} from "../import/testing/import.ts";
import { buildSkipIndex } from "./write-skip-index.ts";

const bucketId = "00000000-0000-4000-8000-000000000001";
const otherBucketId = "00000000-0000-4000-8000-000000000002";

let database: TestDatabase;
before(async () => {
  database = await createUploadsDatabase();
});
after(() => database.drop());

const time = fc.nat(100_000).map((second) => new Date(second * 1000).toISOString());
const upload = fc.record({
  uploadId: fc.nat(800).map(String),
  path: fc.constantFrom("/a", "/a/b"),
  filename: fc
    .tuple(fc.constantFrom("report", "Scan", "写真", "📷", "x_\\"), fc.nat(50))
    .map(([word, number]) => `${number} ${word}.pdf`),
  slug: fc.constantFrom("report-of-the-year", "scanned"),
  sizeBytes: fc.nat(1_000_000),
  order: fc.nat(20),
  createdAt: time,
  updatedAt: time,
});

async function importUploads(uploads: readonly unknown[], into = bucketId) {
  const lines = [bucketLine(into), ...uploads.map((upload) => ({ upload }))];
  const { result } = await importLines(database.databaseUrl, lines);
  assert.ok(result);
  return result;
}

const query = (text: string) => select<{ count: number }>(database.databaseUrl, text);

/** As imports of that many would leave it. */
function claimUploads(count: number): Promise<unknown> {
  return query(`update uploads.bucket_sizes set uploads = ${count}`);
}

async function readSkipIndex() {
  const [made] = await select<{ uploads: number | null; nGrams: number }>(
    database.databaseUrl,
    `select count(*)::int as "nGrams",
       (select uploads::int from uploads.skip_index_buckets where ${isOfBucket}) as uploads
     from uploads.skip_index_bitmaps where ${isOfBucket}`,
    [bucketId],
  );
  return made;
}

function missing() {
  return withConnection(database.databaseUrl, async (client) => {
    await client.query("begin");
    const errors: string[] = [];
    await findWrong(runOn(client), (line) => errors.push(line));
    return errors.filter((line) => line.includes("searches"));
  });
}

describe("the skip index of a bucket", () => {
  it("is built by the import that makes the bucket large", async () => {
    await importUploads(fc.sample(upload, { numRuns: 600, seed: 1 }));
    assert.deepEqual(await readSkipIndex(), { nGrams: 0, uploads: null });
    await claimUploads(49_998);
    await importUploads([{ path: "/", filename: "last", sizeBytes: 1 }]);
    assert.deepEqual(await readSkipIndex(), { nGrams: 0, uploads: null });
    await importUploads([{ path: "/", filename: "very last", sizeBytes: 1 }]);
    const made = await readSkipIndex();
    assert.equal(made?.uploads, 50_000);
    assert.ok(made.nGrams > 100, `${made.nGrams} nGrams`);
    assert.deepEqual(await missing(), []);
  });

  it("includes the uploads of all later imports", async () => {
    const kept = "select sum(bit_count(filename)) as count from uploads.skip_index_bitmaps";
    const [first] = await query(kept);
    await fc.assert(
      fc.asyncProperty(
        fc.array(upload, { minLength: 1, maxLength: 50 }),
        fc.constantFrom(bucketId, otherBucketId),
        async (uploads, into) => {
          const uploadsById = new Map(uploads.map((each) => [each.uploadId, each]));
          await importUploads([...uploadsById.values()], into);
          assert.deepEqual(await missing(), []);
        },
      ),
      { numRuns: 20 },
    );
    const [last] = await query(kept);
    assert.ok(Number(last?.count) > Number(first?.count));
  });

  it("is rebuilt by the import that doubles the bucket", async () => {
    await claimUploads(99_998);
    await importUploads([{ path: "/", filename: "no double yet", sizeBytes: 1 }]);
    assert.equal((await readSkipIndex())?.uploads, 50_000);
    await importUploads([{ path: "/", filename: "double", sizeBytes: 1 }]);
    assert.equal((await readSkipIndex())?.uploads, 100_000);
    assert.deepEqual(await missing(), []);
  });

  it("is built once by concurrent imports", async () => {
    await query(`create table made (at timestamptz default clock_timestamp());
      create function note_made() returns trigger language plpgsql as
        'begin insert into public.made default values; return new; end';
      create trigger note_made after insert on uploads.skip_index_buckets
        for each row execute function public.note_made()`);
    await claimUploads(300_000);
    await Promise.all(
      Array.from({ length: 6 }, (_, number) =>
        importUploads([{ path: "/", filename: `at once ${number}`, sizeBytes: 1 }]),
      ),
    );
    assert.deepEqual(await query("select count(*)::int from made"), [{ count: 1 }]);
    assert.deepEqual(await missing(), []);
    await query("drop trigger note_made on uploads.skip_index_buckets");
  });

  it("may have so many blocks that bitmaps have several parts", async () => {
    const many = fc.sample(upload, { numRuns: 5000, seed: 2 });
    await importUploads(many.map((each, number) => ({ ...each, uploadId: `${number % 2500}` })));
    await withConnection(database.databaseUrl, async (client) => {
      await client.query("begin");
      await buildSkipIndex(runOn(client), await numberOf(client, bucketId), 2500, 2500);
      await client.query("commit");
    });
    const [last] = await query("select max(part) as count from uploads.skip_index_bitmaps");
    assert.ok(Number(last?.count) > 0);
    assert.deepEqual(await missing(), []);
    // Many uploads are assigned to their blocks in another way than few.
    await importUploads(many.map((each, number) => ({ ...each, uploadId: `${number % 1500}` })));
    await importUploads(fc.sample(upload, { numRuns: 10, seed: 3 }));
    assert.deepEqual(await missing(), []);
  });

  it("lacks an upload that was written without it, and the check finds it", async () => {
    // In several parts, and told once.
    await query(
      `update uploads.skip_index_bitmaps set size_bytes = 0::bit(1024) where n_gram = 'rep'`,
    );
    assert.match(
      (await missing()).join("\n"),
      /^[^\n]*: searches with "rep" by size_bytes [^\n]*$/,
    );
  });

  it("is not read by an import that changes nothing", async () => {
    const bits = "select sum(bit_count(size_bytes)) from uploads.skip_index_bitmaps";
    const before = await query(bits);
    const { uploads } = await importUploads(fc.sample(upload, { numRuns: 10, seed: 3 }));
    assert.equal(uploads.new + uploads.changed, 0);
    assert.deepEqual(await query(bits), before);
    await query("delete from uploads.skip_index_buckets");
    assert.deepEqual(await missing(), []);
  });

  it("may fail to be built without harm to the import, which reports it", async () => {
    await claimUploads(3_000_000);
    await query("alter table uploads.skip_index_bitmaps rename to elsewhere");
    const result = await importUploads([{ path: "/", filename: "kept", sizeBytes: 1 }]);
    assert.equal(result.uploads.new, 1);
    assert.match(
      summaryOf(result, []),
      /skip index was not rebuilt: relation "uploads.skip_index_bitmaps" does/,
    );
    await query("alter table uploads.elsewhere rename to skip_index_bitmaps");
    assert.equal((await readSkipIndex())?.uploads, null);
    await importUploads([{ path: "/", filename: "kept", sizeBytes: 1 }]);
    assert.equal((await readSkipIndex())?.uploads, 3_000_001);
    assert.deepEqual(await missing(), []);
  });
});

describe("the skip index of a second bucket", () => {
  it("is built without reading all blocks for each upload", async () => {
    const own = await createUploadsDatabase();
    try {
      await buildForUploads(own.databaseUrl, bucketId);
      // The planner now believes that no other bucket has blocks.
      await select(own.databaseUrl, "analyze uploads.skip_index_blocks");
      const before = await blockEntriesRead(own.databaseUrl);
      await buildForUploads(own.databaseUrl, otherBucketId);
      const read = (await blockEntriesRead(own.databaseUrl)) - before;
      assert.ok(read < 10 * secondUploads, `${read} entries for ${secondUploads} uploads`);
    } finally {
      await own.drop();
    }
  });
});

async function numberOf(client: pg.ClientBase, ofBucket: string): Promise<number> {
  const { rows } = await client.query<{ bucket_number: number }>(
    "select bucket_number from uploads.buckets where bucket_id = $1",
    [ofBucket],
  );
  return rows[0]?.bucket_number ?? assert.fail();
}

/** Few enough for all of their order to fit in one page of its index, which then looks cheapest. */
const secondUploads = 600;

async function buildForUploads(databaseUrl: string, into: string): Promise<void> {
  const uploads = fc
    .sample(upload, { numRuns: secondUploads, seed: 4 })
    .map((each, number) => ({ upload: { ...each, uploadId: `${number}` } }));
  await importLines(databaseUrl, [bucketLine(into), ...uploads]);
  await withConnection(databaseUrl, async (client) => {
    await client.query("begin");
    await buildSkipIndex(runOn(client), await numberOf(client, into), secondUploads, secondUploads);
    await client.query("commit");
    await client.query("select pg_stat_force_next_flush()");
  });
}

async function blockEntriesRead(databaseUrl: string): Promise<number> {
  const [read] = await select<{ count: number }>(
    databaseUrl,
    `select sum(idx_tup_read)::float8 as count from pg_stat_user_indexes
     where relname = 'skip_index_blocks'`,
  );
  return read?.count ?? 0;
}
