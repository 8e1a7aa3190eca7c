/** The limits of every request field: the last valid value and the first invalid one. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { plainLines } from "./samples/plain.ts";
import { bucketIds, callers } from "./samples/tenants.ts";
import { type Deployment, deploy } from "./testing/deployment.ts";
import { callJson, listFolderTreePath, listUploadsPath, readError } from "./testing/json-caller.ts";

const smile = "\u{1f600}";
const bucketId = bucketIds.primary;
const folderId = "f01de400-0000-4000-8000-000000000000";

const refusedByList: object[] = [
  { bucketRef: {} },
  { bucketRef: { bucketId, hostname: "primary.example.com" } },
  { bucketRef: { bucketId: "" } },
  { bucketRef: { bucketId: "primary" } },
  { bucketRef: { bucketId: bucketId.replaceAll("-", "") } },
  { bucketRef: { bucketId: `{${bucketId}}` } },
  { bucketRef: { bucketId: `${bucketId} ` } },
  { bucketRef: { bucketId: null, hostname: null } },
  ...["//", "/a//b", "a//", "/.", "/..", "/a/../b", "./a", "/a/.", "..", "/a\u0000"].map(
    (path) => ({
      path,
    }),
  ),
  { path: `/${"a".repeat(1024)}` },
  { path: "/a".repeat(513) },
  { path: `/${"\u00e9".repeat(512)}` },
  { year: 0 },
  { year: -1 },
  { year: 10000 },
  { year: 2025, month: 0 },
  { year: 2025, month: 13 },
  { year: 2025, month: -1 },
  { month: 1 },
  { month: 1, dateFrom: "2025-01-01T00:00:00Z" },
  { dateFrom: "2025-01-01T00:00:00.000000001Z", dateTo: "2025-01-01T00:00:00Z" },
  { dateFrom: "2026-01-01T00:00:00Z", dateTo: "2025-01-01T00:00:00Z" },
  { tags: { allOf: Array.from({ length: 33 }, String) } },
  { tags: { allOf: tagsOf(11), anyOf: tagsOf(11), noneOf: tagsOf(11) } },
  { search: "a".repeat(257) },
  { search: smile.repeat(257) },
  ...["createdAt", "CREATED_AT", "name", "", "upload_id", "created_at ", "constructor"].map(
    (sortBy) => ({ sortBy }),
  ),
  ...["ASC", "ascending", "", "up", "constructor"].map((sortOrder) => ({ sortOrder })),
  { pageSize: -1 },
  { pageSize: 1001 },
];

const acceptedByList: object[] = [
  { bucketRef: { bucketId: bucketId.toUpperCase() } },
  { bucketRef: { hostname: "Primary.EXAMPLE.com" } },
  { bucketRef: { bucketId, hostname: null } },
  { bucketRef: null },
  ...["", "/", "folder", "/folder/", "folder/", "/...", "/ ", "/a\u0001"].map((path) => ({ path })),
  { path: `/${"a".repeat(1023)}` },
  { path: "/a".repeat(512) },
  { path: `/${"\u00e9".repeat(511)}` },
  { year: 1 },
  { year: 9999, month: 12 },
  { year: 2025, month: 1, dateFrom: "2026-01-01T00:00:00Z" },
  { dateFrom: "2025-01-01T00:00:00Z", dateTo: "2025-01-01T00:00:00Z" },
  { dateFrom: "0001-01-01T00:00:00Z", dateTo: "9999-12-31T23:59:59.999999999Z" },
  { dateFrom: "9999-12-31T23:59:59.999999999Z" },
  { dateFrom: "9999-12-31T23:59:59.999999001Z", year: 9999, month: 12 },
  { dateTo: "0001-01-01T00:00:00Z" },
  { dateTo: "0001-01-01T00:00:00.000000001Z", year: 1 },
  { tags: { allOf: Array.from({ length: 32 }, String) } },
  { tags: { allOf: tagsOf(11), anyOf: tagsOf(11), noneOf: tagsOf(10) } },
  { tags: {} },
  { search: "a".repeat(256) },
  { search: smile.repeat(256) },
  { search: "" },
  { pageSize: 1000 },
  { cursor: "" },
];

const refusedByTree: object[] = [
  { folder: {} },
  { folder: { folderId, path: "/" } },
  { folder: { folderId: "" } },
  { folder: { folderId: "folder" } },
  { folder: { path: "/a//b" } },
  { folder: { path: "/a/../b" } },
  { folder: { path: "/a".repeat(513) } },
  ...["pathFilter", "uploadFilter"].flatMap((name) =>
    [
      {},
      { caseSensitive: true },
      { equals: "a", prefix: "b" },
      { contains: "a", glob: "a" },
      { contains: "", glob: "" },
      { equals: null },
      { contains: "a".repeat(257) },
      { glob: smile.repeat(257) },
      { regex: "a" },
    ].map((filter) => ({ [name]: filter })),
  ),
  { maxDepth: -1 },
];

const acceptedByTree: object[] = [
  ...["", "/", "folder", "/folder", "folder/", "/folder/"].map((path) => ({ folder: { path } })),
  { folder: null },
  { folder: { folderId: null, path: "/" } },
  ...["pathFilter", "uploadFilter"].flatMap((name) =>
    [
      { equals: "" },
      { contains: "" },
      { contains: "a".repeat(256) },
      { glob: smile.repeat(256) },
      { equals: null, prefix: "a", caseSensitive: null },
    ].map((filter) => ({ [name]: filter })),
  ),
  { maxDepth: 0 },
  { maxDepth: 2147483647 },
];

describe("a request", () => {
  let deployment: Deployment;
  before(async () => {
    deployment = await deploy({ lines: plainLines });
  });
  after(() => deployment?.close());

  const call = (path: string, body: object) =>
    callJson(deployment.url, { path, body, token: deployment.issuer.mint(callers.reader) });

  for (const [path, refused, accepted] of [
    [listUploadsPath, refusedByList, acceptedByList],
    [listFolderTreePath, refusedByTree, acceptedByTree],
  ] as const) {
    const name = path.slice(path.lastIndexOf("/") + 1);
    for (const body of refused) {
      it(`of ${name} is rejected: ${brief(body)}`, async () => {
        const { status, code, reason, fields } = readError(await call(path, body)).error;
        assert.deepEqual([status, code, reason], [400, "invalid_argument", "FIELD_INVALID"]);
        assert.ok(fields.length > 0, "the refusal names the field");
      });
    }
    for (const body of accepted) {
      it(`of ${name} is accepted: ${brief(body)}`, async () => {
        const { status, text } = await call(path, body);
        assert.equal(status, 200, text);
      });
    }
  }

  it("finds the same folder by every accepted form of its path", async () => {
    const texts = new Set<string>();
    for (const path of ["folder", "/folder", "folder/", "/folder/"]) {
      texts.add((await call(listUploadsPath, { path, pageSize: 1000 })).text);
    }
    assert.equal(texts.size, 1);
    assert.equal([...texts].join().match(/"uploadId"/g)?.length, 30);
  });
});

function tagsOf(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `tag ${index}`);
}

function brief(body: object): string {
  const text = JSON.stringify(body);
  return text.length > 90 ? `${text.slice(0, 90)}…` : text;
}
