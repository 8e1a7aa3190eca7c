/** Paging in all sorts and page sizes: each row exactly once, in order. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { audience } from "../testing/issuer.ts";
import { startService } from "../testing/programs.ts";
import { type ListUploadsRequest, listUploads } from "./model/list-uploads.ts";
import { type Line, readRecords } from "./model/records.ts";
import { sorts } from "./samples/list-requests.ts";
import { randomBucket, seed } from "./samples/random-bucket.ts";
import { bucketLine, callers, integrationLines } from "./samples/tenants.ts";
import { type Deployment, deploy } from "./testing/deployment.ts";
import { concurrently, readAllPages, readPage } from "./testing/read-pages.ts";

describe(`pages (seed ${seed})`, () => {
  const lines = [
    bucketLine("primary"),
    ...integrationLines,
    ...randomBucket({ seed, folders: 30, uploads: 1100 }),
    ...equalUploads("/equal", 60),
  ];
  const buckets = readRecords(lines);

  let deployment: Deployment;
  before(async () => {
    deployment = await deploy({ lines });
  });
  after(() => deployment?.close());

  const expectedIds = (request: ListUploadsRequest) =>
    listUploads(buckets, callers.reader, request).map(({ uploadId }) => uploadId);

  const pagedIds = async (
    request: ListUploadsRequest,
    pageSize: (pageNumber: number) => number,
  ) => {
    const uploads = await readAllPages({ deployment, caller: callers.reader, request, pageSize });
    return uploads.map(({ uploadId }) => uploadId);
  };

  for (const size of [7, 50, 1000]) {
    it(`return every row once and in order, ${size} at a time, in every sort`, () =>
      concurrently(sorts, async (sort) => {
        assert.deepEqual(await pagedIds(sort, () => size), expectedIds(sort));
      }));
  }

  it("return rows with equal keys once and in order, 1 at a time, in every sort", () =>
    concurrently(sorts, async (sort) => {
      const request = { ...sort, path: "/equal" };
      assert.deepEqual(await pagedIds(request, () => 1), expectedIds(request));
    }));

  it("may have another page size for every page", () =>
    concurrently(sorts, async (sort) => {
      const sizes = [1, 1000, 3, 50, 2, 999, 7];
      const sizeOf = (pageNumber: number) => sizes[(pageNumber * 3) % sizes.length] ?? 1;
      assert.deepEqual(await pagedIds(sort, sizeOf), expectedIds(sort));
    }));

  it("continue with filters", () =>
    concurrently(sorts, async (sort) => {
      const request = {
        ...sort,
        search: "a",
        tags: { noneOf: ["red"] },
        dateTo: "2026-01-01T00:00:00Z",
      };
      assert.deepEqual(await pagedIds(request, () => 7), expectedIds(request));
    }));

  it("have 50 rows on a page if the size is 0 or left out", async () => {
    const first = await readPage(deployment, callers.reader, {});
    const zero = await readPage(deployment, callers.reader, { pageSize: 0 });
    assert.equal(first.uploads.length, 50);
    assert.equal(zero.uploads.length, 50);
  });

  it("end without a cursor when the last page is exactly full", async () => {
    const request = { path: "/equal", pageSize: 30 };
    const first = await readPage(deployment, callers.reader, request);
    assert.notEqual(first.nextCursor, "");
    const last = await readPage(deployment, callers.reader, {
      ...request,
      cursor: first.nextCursor,
    });
    assert.equal(last.uploads.length, 30);
    assert.equal(last.nextCursor, "");
  });

  it("can be read again from any cursor", async () => {
    const first = await readPage(deployment, callers.reader, { pageSize: 10 });
    const again = { pageSize: 10, cursor: first.nextCursor };
    const once = await readPage(deployment, callers.reader, again);
    const twice = await readPage(deployment, callers.reader, again);
    assert.deepEqual(once.uploads, twice.uploads);
  });

  it("continue at another server of the same database", async () => {
    const { databaseUrl, issuer } = deployment;
    const environment = { PORT: "0", DATABASE_URL: databaseUrl, AUTH_URL: issuer.url };
    const other = await startService("uploads", { ...environment, AUDIENCE: audience });
    try {
      const { nextCursor } = await readPage(deployment, callers.reader, { pageSize: 10 });
      const request = { pageSize: 1000, cursor: nextCursor };
      const there = await readPage({ ...deployment, url: other.url }, callers.reader, request);
      assert.deepEqual(
        there.uploads.map(({ uploadId }) => uploadId),
        expectedIds({}).slice(10, 1010),
      );
    } finally {
      await other.stop();
    }
  });
});

/** Uploads that differ only in their IDs. */
function equalUploads(path: string, count: number): Line[] {
  return Array.from({ length: count }, (_, index) => ({
    upload: {
      uploadId: `equal-${(index * 7919) % 1000}`,
      path,
      filename: "same",
      sizeBytes: 1,
      createdAt: "2026-01-01T00:00:00.000001Z",
      updatedAt: "2026-01-01T00:00:00.000001Z",
    },
  }));
}
