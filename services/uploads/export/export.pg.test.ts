import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import type { TestDatabase } from "@stowage/process/testing";
import fc from "fast-check";
import { runProgram } from "../commands/testing/program.ts";
import {
  bucketLine,
  createUploadsDatabase,
  importLines,
  isOfBucket,
  select,
} from "../import/testing/import.ts";

const program = fileURLToPath(new URL("../commands/export.ts", import.meta.url));
const bucketId = "00000000-0000-4000-8000-000000000001";
const integrationId = "00000000-0000-4000-8000-00000000000a";

let database: TestDatabase;
let other: TestDatabase;
before(async () => {
  [database, other] = await Promise.all([createUploadsDatabase(), createUploadsDatabase()]);
});
after(() => Promise.all([database.drop(), other.drop()]));

const exportNdjson = (...parameters: string[]) =>
  runProgram(["ndjson", ...parameters], { program, databaseUrl: database.databaseUrl });

const contentsOf = ({ databaseUrl }: TestDatabase) =>
  select(
    databaseUrl,
    `select to_jsonb(u)::text as text from uploads.uploads u
     union all select to_jsonb(f)::text from uploads.folders f
     union all select to_jsonb(i)::text from uploads.integrations i
     union all select to_jsonb(b)::text from uploads.buckets b order by 1`,
  );

const name = fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 });
const upload = fc
  .record({
    filename: name.filter((text) => !/[/\0]|^\.\.?$/.test(text)),
    path: fc.constantFrom("/", "/a", "/a/b", "/a b", "/c\u0001d/é"),
    sizeBytes: fc.nat(),
    tags: fc.array(name.filter((text) => !text.includes("\0"))),
    integrationId: fc.constantFrom("", integrationId),
    intentMetadata: fc.dictionary(fc.constantFrom("s3", "10", "2"), fc.constant({ x: [1e21, -0] })),
    createdAt: fc.constantFrom("0001-01-01T00:00:00.000001Z", "2026-01-01T00:00:00.120Z"),
    aliases: fc.constantFrom([], [{ slug: "s", expiresAt: "2030-01-01T00:00:00Z" }]),
    author: fc.constantFrom(null, { userId: 7, username: "ada" }),
    order: fc.integer({ min: -5, max: 5 }),
    integrationHidden: fc.boolean(),
  })
  .map((members) => ({ upload: members }));

describe("an export", () => {
  it("gives the same documents when it is imported into an empty database", async () => {
    const lines = [
      bucketLine(bucketId, { primary: true }),
      { integration: { integrationId, name: '"Scan"\n', oauthClientId: "c" } },
      { folder: { path: "/a/b", colour: "red", scopingIntegrationId: integrationId } },
      { folder: { path: "/empty" } },
      ...fc.sample(upload, 300),
    ];
    const imported = await importLines(database.databaseUrl, lines);
    assert.equal(imported.errors, "");
    const { exitCode, output, errors } = await exportNdjson("--bucket", `${bucketId}.example.com`);
    assert.equal(errors, "");
    assert.equal(exitCode, 0);
    const again = await importLines(other.databaseUrl, output.trimEnd().split("\n"));
    assert.equal(again.errors, "");
    assert.deepEqual(await contentsOf(other), await contentsOf(database));
  });

  it("can be imported even if its lines are longer than those that it came from", async () => {
    const bucket = bucketLine("00000000-0000-4000-8000-000000000002");
    const start =
      '{"upload":{"path":"/","filename":"a","sizeBytes":0,"intentMetadata":{"x":{"y":[0';
    const numbers = ",1e20".repeat(Math.floor((1024 * 1024 - start.length - 5) / 5));
    const imported = await importLines(database.databaseUrl, [bucket, `${start}${numbers}]}}}}`]);
    assert.equal(imported.errors, "");
    const { output } = await exportNdjson("--bucket", bucket.bucket.hostname);
    const lines = output.trimEnd().split("\n");
    assert.ok(Math.max(...lines.map((line) => line.length)) > 4.3 * 1024 * 1024);
    const again = await importLines(other.databaseUrl, lines);
    assert.equal(again.errors, "");
    assert.deepEqual(await contentsOf(other), await contentsOf(database));
  });

  it("of a folder has what is in and under it, and the folders above", async () => {
    const { output } = await exportNdjson("--bucket", `${bucketId}.example.com`, "--path", "a/");
    const lines = output.trimEnd().split("\n");
    const things = lines.map((line) => Object.entries<{ path?: string }>(JSON.parse(line))[0]);
    const pathsOf = (kind: string) =>
      new Set(things.flatMap((thing) => (thing?.[0] === kind ? (thing[1].path ?? []) : [])));
    assert.deepEqual(pathsOf("folder"), new Set(["/", "/a", "/a/b"]));
    assert.deepEqual(pathsOf("upload"), new Set(["/a", "/a/b"]));
    assert.deepEqual(new Set(things.map((thing) => thing?.[0])).size, 4);
  });

  it("of a folder in a hidden one stays hidden", async () => {
    const hidden = bucketLine("00000000-0000-4000-8000-000000000003");
    await importLines(database.databaseUrl, [
      hidden,
      { folder: { path: "/x", integrationHidden: true } },
      { upload: { path: "/x/y", filename: "secret", sizeBytes: 1 } },
    ]);
    const { output } = await exportNdjson("--bucket", hidden.bucket.hostname, "--path", "/x/y");
    await importLines(other.databaseUrl, output.trimEnd().split("\n"));
    const [folder] = await select(
      other.databaseUrl,
      `select integration_hidden from uploads.folders
       where ${isOfBucket} and tree_key = chr(1) || 'x'`,
      [hidden.bucket.bucketId],
    );
    assert.deepEqual(folder, { integration_hidden: true });
  });

  it("of what is not there fails with the reason", async () => {
    const host = `${bucketId}.example.com`;
    const { exitCode, errors } = await exportNdjson("--bucket", "nowhere");
    assert.equal(exitCode, 1);
    assert.equal(
      errors,
      "stowage: Cannot export nowhere: there is no bucket with that host name\n",
    );
    const folder = await exportNdjson("--bucket", host, "--path", "/nothing");
    assert.equal(
      folder.errors,
      `stowage: Cannot export /nothing of ${host}: there is no such folder\n`,
    );
  });
});
