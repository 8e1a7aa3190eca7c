/** A cursor is valid for its own query only. Any other text or changed cursor is rejected. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { ListUploadsRequest } from "./model/list-uploads.ts";
import { randomBucket } from "./samples/random-bucket.ts";
import { bucketIds, bucketLine, callers } from "./samples/tenants.ts";
import { type Deployment, deploy } from "./testing/deployment.ts";
import { listUploads } from "./testing/json-caller.ts";
import { concurrently, readPage } from "./testing/read-pages.ts";

const mismatch = { status: 400, code: "invalid_argument", reason: "CURSOR_MISMATCH" };

/** Pairs of different queries. A cursor of one must not be accepted by the other. */
const queries: Record<string, [ListUploadsRequest, ListUploadsRequest]> = {
  bucket: [{}, { bucketRef: { bucketId: bucketIds.second } }],
  "sort field": [{ sortBy: "created_at" }, { sortBy: "updated_at" }],
  "sort order": [{ sortOrder: "asc" }, { sortOrder: "desc" }],
  path: [{ path: "/one" }, { path: "/two" }],
  "path of the root": [{}, { path: "/" }],
  "recursive path": [{ path: "/", recursive: true }, { path: "/" }],
  search: [{ search: "a" }, { search: "e" }],
  "search and pattern": [{ search: "a" }, { search: "a*" }],
  "no search": [{ search: "a" }, {}],
  "tags allOf": [{ tags: { noneOf: ["x"] } }, { tags: { noneOf: ["y"] } }],
  "kind of tags": [{ tags: { anyOf: ["red"] } }, { tags: { allOf: ["red"] } }],
  "number of tags": [{ tags: { noneOf: ["a", "b"] } }, { tags: { noneOf: ["a,b"] } }],
  dateFrom: [{ dateFrom: "2025-01-01T00:00:00Z" }, { dateFrom: "2025-01-01T00:00:00.000000001Z" }],
  dateTo: [{ dateTo: "2026-12-01T00:00:00Z" }, { dateTo: "2026-12-01T00:00:01Z" }],
  "dateFrom and dateTo": [{ dateFrom: "2025-06-15T12:00:00Z" }, { dateTo: "2025-06-15T12:00:00Z" }],
  year: [{ year: 2025 }, { year: 2024 }],
  month: [{ year: 2025 }, { year: 2025, month: 6 }],
};

/** Pairs of queries that say the same. A cursor of one is accepted by the other. */
const sameQueries: Record<string, [ListUploadsRequest, ListUploadsRequest]> = {
  "the defaults": [{}, { sortBy: "created_at", sortOrder: "desc" }],
  "recursive without a path": [{}, { recursive: true }],
  "another form of the path": [{ path: "/one" }, { path: "one/" }],
  "another order of tags": [
    { tags: { noneOf: ["x", "y"] } },
    { tags: { noneOf: ["y", "x", "y"] } },
  ],
  "the search in capitals": [{ search: "a" }, { search: "A" }],
};

describe("cursors", () => {
  const lines = [
    bucketLine("primary"),
    ...randomBucket({ seed: 1, folders: 5, uploads: 300 }),
    ...["/one", "/two"].flatMap((path) =>
      ["a", "b"].map((filename) => ({ upload: { path, filename, sizeBytes: 1 } })),
    ),
    bucketLine("second"),
    ...randomBucket({ seed: 2, folders: 5, uploads: 30 }),
  ];

  let deployment: Deployment;
  before(async () => {
    deployment = await deploy({ lines });
  });
  after(() => deployment?.close());

  const cursorOf = async (request: ListUploadsRequest) => {
    const page = await readPage(deployment, callers.reader, { ...request, pageSize: 1 });
    assert.notEqual(page.nextCursor, "", `needs two uploads: ${JSON.stringify(request)}`);
    return page.nextCursor;
  };

  const errorOf = async (request: ListUploadsRequest) => {
    const answer = await listUploads(deployment, callers.reader, request);
    if (!("error" in answer)) return assert.fail(`accepted ${JSON.stringify(request)}`);
    const { status, code, reason } = answer.error;
    return { status, code, reason };
  };

  for (const [name, [one, other]] of Object.entries(queries)) {
    it(`are rejected by a query with another ${name}`, async () => {
      const cursor = await cursorOf(one);
      assert.deepEqual(await errorOf({ ...other, cursor }), mismatch);
    });
  }

  for (const [name, [one, other]] of Object.entries(sameQueries)) {
    it(`are accepted by a query with ${name}`, async () => {
      const cursor = await cursorOf(one);
      const next = await readPage(deployment, callers.reader, { ...other, cursor, pageSize: 1 });
      assert.equal(next.uploads.length, 1);
    });
  }

  it("are at most 2048 characters, also after the longest filename", async () => {
    const filename = "\u{1f600}".repeat(256);
    await deployment.load([
      bucketLine("second"),
      { upload: { path: "/long", filename, sizeBytes: 1, uploadId: "\u{1f600}".repeat(32) } },
      { upload: { path: "/long", filename, sizeBytes: 1, uploadId: "\u{1f601}".repeat(32) } },
    ]);
    const bucketRef = { bucketId: bucketIds.second };
    const request = { bucketRef, path: "/long", sortBy: "filename", pageSize: 1 };
    const cursor = await cursorOf(request);
    assert.ok(cursor.length <= 2048, `got ${cursor.length} characters`);
    const next = await readPage(deployment, callers.reader, { ...request, cursor });
    assert.equal(next.uploads.length, 1);
    assert.equal(next.nextCursor, "");
  });

  it("are rejected if any one character is changed", async () => {
    const cursor = await cursorOf({});
    const changed = Array.from(cursor, (character, index) => {
      const other = character === "A" ? "B" : "A";
      return cursor.slice(0, index) + other + cursor.slice(index + 1);
    });
    await concurrently(changed, async (each) => {
      assert.deepEqual(await errorOf({ cursor: each }), mismatch, each);
    });
  });

  it("are rejected if their last bits are changed", async () => {
    const cursor = await cursorOf({});
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const others = Array.from(alphabet, (last) => cursor.slice(0, -1) + last);
    await concurrently(
      others.filter((other) => other !== cursor),
      async (other) => {
        assert.deepEqual(await errorOf({ cursor: other }), mismatch, other);
      },
    );
  });

  it("are rejected if truncated at any place", async () => {
    const cursor = await cursorOf({});
    const lengths = Array.from({ length: cursor.length - 1 }, (_, index) => index + 1);
    await concurrently(lengths, async (length) => {
      assert.deepEqual(await errorOf({ cursor: cursor.slice(0, length) }), mismatch);
    });
  });

  it("are rejected with any prefix or suffix, as is any other text", async () => {
    const cursor = await cursorOf({});
    const texts = [
      `${cursor}A`,
      `A${cursor}`,
      `${cursor}=`,
      `${cursor} `,
      ` ${cursor}`,
      cursor + cursor,
      " ",
      "A",
      "=",
      "null",
      "0",
      "{}",
      "\u{1f600}",
      "../..",
      "%00",
      "AAAAAAAAAAAAAAAAAAAAAAAA",
    ];
    await concurrently(texts, async (text) => {
      assert.deepEqual(await errorOf({ cursor: text }), mismatch, text);
    });
  });

  it("are rejected if longer than 2048 characters", async () => {
    assert.deepEqual(await errorOf({ cursor: "A".repeat(2049) }), mismatch);
  });
});
