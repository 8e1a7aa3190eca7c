/**
 * Lists by random queries, as people type them, against a model of plain functions: every page of
 * every list, with its count. `QUERIES=5000 npm test -- lists/query` is the long form.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { JsonObject } from "@bufbuild/protobuf";
import { createLogger, openPool } from "@stowage/process";
import type { TestDatabase } from "@stowage/process/testing";
import fc from "fast-check";
import type pg from "pg";
import { bucketLine, createUploadsDatabase, importLines } from "../import/testing/import.ts";
import { createDatabase } from "../postgres/database.ts";
import { RawClient } from "../postgres/raw-client.ts";
import { listUploadsOn } from "./testing/call-list.ts";
import { someQuery, someWords, type TypedUpload } from "./testing/some-query.ts";

const queries = Number(process.env.QUERIES ?? 150);
const bucketId = "0b5c1d9e-3a58-4a5e-9c0e-0000000000cc";

const folders = [
  "/",
  "/tax",
  "/tax/2024",
  "/Tax/reports/2024",
  "/写真/été",
  "/photos 2024",
  "/a.b/x_%\\",
];
const ends = [".pdf", ".JPG", ".tar.gz", "", ".写", " final.txt"];
const name = fc
  .tuple(
    fc.array(fc.constantFrom(...someWords), { minLength: 1, maxLength: 2 }),
    fc.nat(30),
    fc.constantFrom(...ends),
  )
  .map(([words, number, end]) => `${words.join(number % 3 === 0 ? " " : "-")}${number}${end}`);
const hourMs = 3_600_000;
const times = [
  "2023-12-31T23:59:59.500Z",
  "2024-02-29T12:00:00Z",
  "2024-07-01T00:00:00Z",
  "2025-01-01T00:00:00Z",
];
const someTime = fc.oneof(
  fc.constantFrom(...times),
  fc.constantFrom(1, 60 * 24).map((hours) => new Date(Date.now() - hours * hourMs).toISOString()),
);
const upload = fc.record({
  path: fc.constantFrom(...folders),
  filename: name,
  slug: fc.option(name, { nil: undefined, freq: 3 }),
  sizeBytes: fc.oneof(
    fc.nat(50),
    fc.nat(40).map((kilobytes) => kilobytes * 1000),
    fc.nat(40_000_000),
  ),
  type: fc.constantFrom(
    "IMAGE",
    "VIDEO",
    "AUDIO",
    "DOCUMENT",
    "ARCHIVE",
    "TEXT",
    "OTHER",
    "UNSPECIFIED",
  ),
  tags: fc.subarray(["final", "Größe", "a b", 'a "b"'], { maxLength: 2 }),
  createdAt: someTime,
  updatedAt: someTime,
  isHidden: fc.constantFrom(false, false, false, true),
});

const integrationId = "0b5c1d9e-3a58-4a5e-9c0e-0000000000dd";
const hiddenFolder = "/Tax/reports";
const isIn = (path: string, folder: string) => `${path}/`.startsWith(`${folder}/`);

/** Callers with what each sees of uploads that an integration hides, and in which folders. */
const callers = [undefined, ["/tax"], ["/Tax/reports/2024", "/写真"]].flatMap((locations) =>
  ["any-client", "their-client"].map((clientId) => {
    const detail = { type: "bucket", identifier: bucketId, actions: ["read"], locations };
    return {
      token: {
        organisationId: "org",
        clientId,
        authorizationDetails: locations === undefined ? [] : [detail],
      },
      sees: ({ path, isHidden }: HideableUpload) =>
        (clientId === "their-client" || !(isHidden || isIn(path, hiddenFolder))) &&
        (locations === undefined || locations.some((location) => isIn(path, location))),
    };
  }),
);

interface HideableUpload extends TypedUpload {
  readonly isHidden: boolean;
}

interface Answer {
  readonly uploads: readonly { readonly uploadId: string }[];
  readonly nextCursor: string;
  readonly matchCount: number;
  readonly matchCountIsExact: boolean;
  readonly matchSizeBytes: number;
}

describe("lists by a query", () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  let list: (request: JsonObject, token?: object) => Promise<Answer>;
  const all = new Map<string, HideableUpload>();

  before(async () => {
    database = await createUploadsDatabase();
    const lines = fc
      .sample(upload, { seed: 1, numRuns: 1500 })
      .map(({ slug, type, isHidden, ...fields }, at) => {
        const uploadId = `${at}`;
        const { path, filename, sizeBytes, tags, createdAt, updatedAt } = fields;
        all.set(uploadId, {
          ...{ path, filename, tags, isHidden },
          slug: slug ?? filename,
          sizeBytes: BigInt(sizeBytes),
          type: typeNumbers.indexOf(type),
          createdMicros: BigInt(Date.parse(createdAt)) * 1000n,
          updatedMicros: BigInt(Date.parse(updatedAt)) * 1000n,
        });
        const given = {
          ...(slug !== undefined && { slug }),
          ...(isHidden && { integrationId, integrationHidden: true }),
        };
        return { upload: { ...fields, ...given, uploadId, type: `UPLOAD_TYPE_${type}` } };
      });
    const { errors } = await importLines(database.databaseUrl, [
      bucketLine(bucketId),
      { integration: { integrationId, oauthClientId: "their-client" } },
      {
        folder: {
          path: hiddenFolder,
          integrationHidden: true,
          scopingIntegrationId: integrationId,
        },
      },
      ...lines,
    ]);
    assert.equal(errors, "");
    const logger = createLogger({ name: "test", level: "silent" });
    const { databaseUrl } = database;
    const options = { databaseUrl, applicationName: "query-test", logger, Client: RawClient };
    pool = openPool({ ...options, connectionsMax: 2 });
    const reads = createDatabase(pool, pool);
    const call = listUploadsOn({ short: reads, long: reads, longTimeoutMs: 60_000 });
    list = async (request, token) => {
      const asked = { bucketRef: { bucketId }, ...request };
      const { json, release } = await call(asked, undefined, token);
      const answer = JSON.parse(json.toString());
      release();
      return answer;
    };
  });
  after(async () => {
    await pool?.end();
    await database?.drop();
  });

  it("have exactly the matches that the caller sees, on all pages, counted", async (context) => {
    let matched = 0;
    const sorts = fc.constantFrom("created_at", "updated_at", "filename", "size_bytes", "order");
    const request = fc.record({
      query: someQuery,
      sortBy: sorts,
      sortOrder: fc.constantFrom("asc", "desc"),
      pageSize: fc.constantFrom(7, 50, 300),
      path: fc.option(fc.constantFrom("/tax", "/写真"), { nil: undefined, freq: 6 }),
      caller: fc.constantFrom(...callers),
    });
    await fc.assert(
      fc.asyncProperty(request, async ({ query, path, caller, ...others }) => {
        const scope = path === undefined ? {} : { path, recursive: true };
        const base = { query: query.text, ...scope, ...others };
        const first = await list({ ...base, includeCount: true }, caller.token);
        const found = [...first.uploads];
        for (let cursor = first.nextCursor; cursor !== ""; ) {
          const page = await list({ ...base, cursor }, caller.token);
          found.push(...page.uploads);
          cursor = page.nextCursor;
        }
        const expected = [...all].filter(
          ([, each]) =>
            (path === undefined || isIn(each.path, path)) &&
            caller.sees(each) &&
            query.isMatch(each),
        );
        assert.deepEqual(
          found.map(({ uploadId }) => uploadId).toSorted(),
          expected.map(([uploadId]) => uploadId).toSorted(),
        );
        assert.deepEqual(
          [first.matchCount, first.matchCountIsExact, BigInt(first.matchSizeBytes)],
          [expected.length, true, expected.reduce((sum, [, each]) => sum + each.sizeBytes, 0n)],
        );
        matched += Number(expected.length > 0);
      }),
      { numRuns: queries },
    );
    context.diagnostic(`${matched} of ${queries} queries found something`);
    assert.ok(matched > queries / 4);
  });

  it("by structure and by text have the same cursors", async () => {
    const text = await list({ query: "size:>=1k type:image,video ext:pdf", pageSize: 1 });
    const structure = { sizeFrom: 1000, types: ["UPLOAD_TYPE_VIDEO", "UPLOAD_TYPE_IMAGE"] };
    const rest = await list({
      ...{ ...structure, extensions: ["PDF"] },
      cursor: text.nextCursor,
    });
    assert.ok(text.nextCursor !== "" && rest.uploads.length > 0);
  });

  it("refuse a filter with a wrong value by its name, with what it needs", async () => {
    await assert.rejects(list({ query: "tax size:huge" }), {
      reason: "FIELD_INVALID",
      message: /query: has the part "size:huge"; size: needs a size, such as size:>100MB/,
    });
    const many = Array.from({ length: 17 }, (_, at) => `word${at}`).join(" ");
    await assert.rejects(list({ query: many }), { message: /17 words; need at most 16/ });
    await assert.rejects(list({ query: "a".repeat(513) }), { message: /need at most 512/ });
    await assert.rejects(list({ sizeFrom: 5, sizeTo: 4 }), {
      message: /sizeTo: is 4; need sizeFrom/,
    });
    await assert.rejects(list({ extensions: [".pdf"] }), { message: /without a dot/ });
  });
});

const typeNumbers = [
  "UNSPECIFIED",
  "IMAGE",
  "VIDEO",
  "AUDIO",
  "DOCUMENT",
  "ARCHIVE",
  "TEXT",
  "OTHER",
];
