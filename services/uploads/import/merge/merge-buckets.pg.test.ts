import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import type { TestDatabase } from "@stowage/process/testing";
import {
  bucketLine,
  createUploadsDatabase,
  importLines,
  readTables,
  select,
} from "../testing/import.ts";

const [a, b, c] = ["a", "b", "c"].map(
  (digit) => `${digit.repeat(8)}-0000-4000-8000-000000000000`,
) as [string, string, string];

let database: TestDatabase;
beforeEach(async () => {
  database = await createUploadsDatabase();
});
afterEach(() => database.drop());

async function load(...lines: unknown[]) {
  return (await importLines(database.databaseUrl, lines)).result?.buckets;
}

function buckets() {
  const columns = "left(bucket_id::text, 1) as id, hostname, organisation_id, is_primary";
  const text = `select ${columns} from uploads.buckets order by bucket_id`;
  return select(database.databaseUrl, text);
}

const named = (bucketId: string, hostname: string, members: object = {}) =>
  bucketLine(bucketId, { hostname, ...members });

describe("a bucket line", () => {
  it("creates a bucket, or changes the one with its ID", async () => {
    assert.deepEqual(await load(named(a, "A.example.com")), { new: 1, changed: 0, unchanged: 0 });
    const line = named(a, "b.example.com", { organisationId: "other", primary: true });
    assert.deepEqual(await load(line), { new: 0, changed: 1, unchanged: 0 });
    assert.deepEqual(await buckets(), [
      { id: "a", hostname: "b.example.com", organisation_id: "other", is_primary: true },
    ]);
  });

  it("is ignored if a later line of the file has its ID", async () => {
    await load(named(a, "first"), named(b, "b"), named(a, "last"));
    assert.deepEqual(
      (await buckets()).map(({ hostname }) => hostname),
      ["last", "b"],
    );
  });

  it("without primary leaves what an earlier line of the file says of it", async () => {
    const primaryOf = async () =>
      (await buckets()).filter((bucket) => bucket.is_primary).map(({ id }) => id);
    await load(named(a, "a", { primary: true }), named(b, "b"), named(a, "a"));
    assert.deepEqual(await primaryOf(), ["a"]);
    const isPrimary = { primary: true };
    await load(named(a, "a", isPrimary), named(b, "b", isPrimary), named(a, "a"));
    assert.deepEqual(await primaryOf(), ["b"]);
    await load(named(b, "b", { primary: false }), named(b, "b"));
    assert.deepEqual(await primaryOf(), []);
  });

  it("may get a host name that another bucket loses in the same file", async () => {
    await load(named(a, "x"), named(b, "y"), named(c, "z"));
    assert.deepEqual(await load(named(a, "y"), named(b, "x")), {
      new: 0,
      changed: 2,
      unchanged: 0,
    });
    assert.deepEqual(
      (await buckets()).map(({ hostname }) => hostname),
      ["y", "x", "z"],
    );
  });

  it("is rejected with the host name of another bucket, and nothing is imported", async () => {
    await load(named(a, "x"));
    const before = await readTables(database.databaseUrl);
    const lines = [named(c, "z"), named(b, "X"), { folder: { path: "/f" } }];
    await assert.rejects(load(...lines), {
      message:
        "Cannot import: a host name would belong to two buckets; nothing was kept\n" +
        `line 2: bucket.hostname: got "x", which belongs to bucket ${a}, ` +
        "need one that no other bucket has",
    });
    assert.deepEqual(await readTables(database.databaseUrl), before);
  });

  it("is rejected with the host name of another bucket of the same file", async () => {
    await assert.rejects(load(named(a, "x"), named(b, "x")), /\nline 1: .*\nline 2: .*"x"/);
    assert.deepEqual(await buckets(), []);
  });
});

describe("the primary bucket of an organisation", () => {
  async function primaries() {
    return (await buckets()).filter(({ is_primary }) => is_primary).map(({ id }) => id);
  }

  it("is the last bucket line with `primary`, in one file and over several", async () => {
    await load(named(a, "a", { primary: true }), named(b, "b", { primary: true }));
    assert.deepEqual(await primaries(), ["b"]);
    await load(named(c, "c", { primary: true }));
    assert.deepEqual(await primaries(), ["c"]);
    await load(named(a, "a", { primary: true }));
    assert.deepEqual(await primaries(), ["a"]);
  });

  it("is a different one for every organisation", async () => {
    const own = { primary: true, organisationId: "own" };
    await load(named(a, "a", { primary: true }), named(b, "b", own));
    assert.deepEqual(await primaries(), ["a", "b"]);
    await load(named(a, "a", own), named(b, "b", { primary: true }));
    assert.deepEqual(await primaries(), ["a", "b"]);
  });

  it("stays if its line has no `primary`, and is none if its line says so", async () => {
    await load(named(a, "a", { primary: true }));
    const counts = await load(named(a, "a"), named(b, "b"));
    assert.deepEqual(counts, { new: 1, changed: 0, unchanged: 1 });
    await load(named(a, "renamed"), named(b, "b", { primary: null }));
    assert.deepEqual(await primaries(), ["a"]);
    await load(named(a, "a", { primary: false }));
    assert.deepEqual(await primaries(), []);
  });

  it("is another one if another line of the file has `primary`", async () => {
    await load(named(a, "a", { primary: true }));
    await load(named(a, "renamed"), named(b, "b", { primary: true }));
    assert.deepEqual(await primaries(), ["b"]);
  });

  it("is not primary in another organisation that it moves to", async () => {
    await load(named(a, "a", { primary: true }));
    await load(named(b, "b", { primary: true, organisationId: "own" }));
    await load(named(b, "b"));
    assert.deepEqual(await primaries(), ["a"]);
  });
});
