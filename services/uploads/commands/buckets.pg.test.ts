import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { fileURLToPath } from "node:url";
import type { TestDatabase } from "@stowage/process/testing";
import {
  bucketLine,
  createUploadsDatabase,
  importLines,
  select,
} from "../import/testing/import.ts";
import { runProgram } from "./testing/program.ts";

const program = fileURLToPath(new URL("./buckets.ts", import.meta.url));

let database: TestDatabase;
before(async () => {
  database = await createUploadsDatabase();
});
after(() => database.drop());

const buckets = (...parameters: string[]) =>
  runProgram(parameters, { program, databaseUrl: database.databaseUrl });

it("buckets are added, listed, and removed with everything in them", async () => {
  const added = await buckets("add", "A.example.com", "--organisation", "acme");
  assert.equal(added.errors, "");
  const bucketId = added.output.trim();
  const again = await buckets("add", "a.example.com", "--organisation", "acme");
  assert.match(again.errors, /^stowage: Cannot add bucket a.example.com: a bucket has this /);

  const bucket = { hostname: "a.example.com", bucketId, organisationId: "acme", primary: true };
  const empty = { ...bucket, sources: 0, folders: 1, uploads: 0, sizeBytes: 0 };
  assert.deepEqual(JSON.parse((await buckets("list", "--json")).output), [empty]);
  await importLines(database.databaseUrl, [
    bucketLine(bucketId, { hostname: "a.example.com", organisationId: "acme" }),
    { upload: { path: "/a/b", filename: "c", sizeBytes: 7 } },
  ]);
  const filled = { ...empty, folders: 3, uploads: 1, sizeBytes: 7 };
  assert.deepEqual(JSON.parse((await buckets("list", "--json")).output), [filled]);
  assert.match(
    (await buckets("list")).output,
    /^BUCKET .*\na\.example\.com .* yes .* 3 .* 1 .* 7\n$/,
  );

  const refused = await buckets("remove", "a.example.com");
  assert.match(refused.errors, /^stowage: .* it has uploads; add --yes to delete them\n$/);
  const deleted = "select from uploads.uploads where xmax <> '0'";
  assert.deepEqual(await select(database.databaseUrl, deleted), [], "not even for a moment");
  const removed = await buckets("remove", "a.example.com", "--yes");
  assert.deepEqual(removed, {
    exitCode: 0,
    output: "removed bucket a.example.com: 1 upload\n",
    errors: "",
  });
  const left = "select from uploads.buckets union all select from uploads.folders";
  assert.deepEqual(await select(database.databaseUrl, left), []);
  assert.match((await buckets("remove", "a.example.com")).errors, /no bucket with that host name/);
});
