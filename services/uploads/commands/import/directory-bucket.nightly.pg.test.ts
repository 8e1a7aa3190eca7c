import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { TestDatabase } from "@stowage/process/testing";
import type { ImportRecord } from "../../import/records/record.ts";
import { runImport } from "../../import/run-import.ts";
import {
  bucketLine,
  createUploadsDatabase,
  importLines,
  isOfBucket,
  select,
  withConnection,
} from "../../import/testing/import.ts";
import { deterministicBucketId } from "../../model/deterministic-ids.ts";
import { runProgram } from "../testing/program.ts";

let database: TestDatabase;
let directory: string;
before(async () => {
  database = await createUploadsDatabase();
  directory = await mkdtemp(join(tmpdir(), "stowage-directory-"));
  await writeFile(join(directory, "file"), "content");
});
after(async () => {
  await database.drop();
  await rm(directory, { recursive: true });
});

let count = 0;
function newHostname(): string {
  count += 1;
  return `bucket-${count}.example.com`;
}

describe("the bucket of a directory", () => {
  async function bucketOf(hostname: string) {
    const text = "select bucket_id, is_primary from uploads.buckets where hostname = $1";
    return (await select(database.databaseUrl, text, [hostname]))[0];
  }
  async function isPrimary(hostname: string) {
    return (await bucketOf(hostname))?.is_primary;
  }
  function uploadsIn(bucketId: string) {
    const text = `select filename from uploads.uploads where ${isOfBucket}`;
    return select(database.databaseUrl, text, [bucketId]);
  }
  function importInto(hostname: string, ...options: string[]) {
    const { databaseUrl } = database;
    return runProgram(["dir", directory, "--bucket", hostname, ...options], { databaseUrl });
  }

  it("must exist, or its organisation must be given", async () => {
    const { exitCode, errors } = await importInto("unknown.example.com");
    assert.equal(exitCode, 1);
    assert.equal(
      errors,
      "stowage: Cannot use bucket unknown.example.com: no bucket has this host name; " +
        "name one that is known, or add --organisation ID to make it\n",
    );
  });

  it("belongs to one organisation, also when two import under a new name at once", async () => {
    const hostname = newHostname();
    const outcomes = await Promise.all(
      ["acme", "beta"].map((organisation) => importInto(hostname, "--organisation", organisation)),
    );
    // The second import may run at the same time as the first, or find its bucket.
    const refused = outcomes.filter(({ exitCode }) => exitCode !== 0);
    assert.equal(refused.length, 1);
    assert.match(refused[0]?.errors ?? "", /meanwhile; import again|belongs to organisation/);
  });

  it("stays with the organisation that created it while the directory was read", async () => {
    const bucketId = "cccccccc-0000-4000-8000-000000000000";
    const hostname = newHostname();
    await importLines(database.databaseUrl, [bucketLine(bucketId, { hostname })]);
    async function* staged(): AsyncGenerator<ImportRecord[]> {
      const made = { bucketId, hostname, organisationId: "another", isPrimary: "if none" } as const;
      yield [{ kind: "bucket", line: 0, ...made }];
    }
    const importing = withConnection(database.databaseUrl, (client) =>
      runImport(client, staged(), {
        uploadColumns: "of objects",
        mayChangeBuckets: false,
      }),
    );
    await assert.rejects(importing, { name: "BucketChangedError" });
  });

  it("is found by its host name in any case, with any ID", async () => {
    const hostname = newHostname();
    const bucketId = "dddddddd-0000-4000-8000-000000000000";
    await importLines(database.databaseUrl, [bucketLine(bucketId, { hostname })]);
    const { exitCode } = await importInto(hostname.toUpperCase());
    assert.equal(exitCode, 0);
    assert.deepEqual(await uploadsIn(bucketId), [{ filename: "file" }]);
  });

  it("must not belong to another organisation", async () => {
    const hostname = newHostname();
    await importInto(hostname, "--organisation", "own");
    const { exitCode, errors } = await importInto(hostname, "--organisation", "other");
    assert.equal(exitCode, 1);
    assert.match(errors, /belongs to organisation .*, not to other\n$/);
  });

  it("is primary if it is the first of its organisation, or with --primary", async () => {
    const [first, second] = [newHostname(), newHostname()];
    await importInto(first, "--organisation", "shared");
    await importInto(second, "--organisation", "shared");
    assert.deepEqual([await isPrimary(first), await isPrimary(second)], [true, false]);
    await importInto(second, "--primary");
    assert.deepEqual([await isPrimary(first), await isPrimary(second)], [false, true]);
  });

  it("gets a random ID if a renamed bucket has the deterministic ID of its name", async () => {
    const [hostname, renamed] = [newHostname(), newHostname()];
    const bucketId = deterministicBucketId(hostname);
    await importLines(database.databaseUrl, [bucketLine(bucketId, { hostname: renamed })]);
    const { exitCode } = await importInto(hostname, "--organisation", "o");
    assert.equal(exitCode, 0);
    assert.notEqual((await bucketOf(hostname))?.bucket_id, bucketId);
    assert.deepEqual(await uploadsIn(bucketId), []);
    assert.equal(await isPrimary(renamed), false);
  });
});
