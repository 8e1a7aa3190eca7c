/** Paging while another connection writes: a row with an unchanged sort key comes exactly once. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type ListUploadsRequest, listUploads } from "./model/list-uploads.ts";
import { type Line, readRecords } from "./model/records.ts";
import { sorts } from "./samples/list-requests.ts";
import { randomBucket, seed } from "./samples/random-bucket.ts";
import { bucketIds, bucketLine, callers, integrationLines } from "./samples/tenants.ts";
import { type Deployment, deploy } from "./testing/deployment.ts";
import { connectOtherWriter } from "./testing/other-writer.ts";
import { readAllPages } from "./testing/read-pages.ts";

describe(`paging while others write (seed ${seed})`, () => {
  const lasting = [
    bucketLine("primary"),
    ...integrationLines,
    ...randomBucket({ seed, folders: 10, uploads: 250 }),
  ];
  const fleeting = Array.from({ length: 150 }, (_, index) => fleetingUpload(index, "first"));
  const buckets = readRecords(lasting);

  let deployment: Deployment;
  before(async () => {
    deployment = await deploy({ lines: [...lasting, ...fleeting] });
  });
  after(() => deployment?.close());

  const lastingIds = (ids: readonly string[]) => ids.filter((id) => !id.startsWith("fleeting"));

  const pagedIds = async (request: ListUploadsRequest, meanwhile: () => Promise<void>) => {
    const { reader: caller } = callers;
    const uploads = await readAllPages({
      deployment,
      caller,
      request,
      pageSize: () => 7,
      meanwhile,
    });
    return uploads.map(({ uploadId }) => uploadId);
  };

  for (const sort of sorts) {
    it(`return every lasting row, by ${sort.sortBy} ${sort.sortOrder}`, async () => {
      const writer = await connectOtherWriter(deployment.databaseUrl, bucketIds.primary);
      try {
        const ids = await pagedIds(sort, () => writer.writeSomething());
        const expected = listUploads(buckets, callers.reader, sort);
        assert.deepEqual(
          lastingIds(ids),
          expected.map(({ uploadId }) => uploadId),
        );
        for (const kind of ["inserted", "moved", "changed", "deleted"]) {
          assert.ok((writer.rowCounts[kind] ?? 0) > 0, `nothing was ${kind} meanwhile`);
        }
      } finally {
        await writer.close();
      }
    });
  }

  it("return every lasting row while an import replaces others", async () => {
    const replaced = Array.from({ length: 150 }, (_, index) => fleetingUpload(index * 2, "second"));
    const sort = { sortBy: "filename", sortOrder: "asc" };
    let imported: Promise<void> | undefined;
    const ids = await pagedIds(sort, async () => {
      imported ??= deployment.load([bucketLine("primary"), ...replaced]);
      await imported;
    });
    const expected = listUploads(buckets, callers.reader, sort);
    assert.deepEqual(
      lastingIds(ids),
      expected.map(({ uploadId }) => uploadId),
    );
  });
});

function fleetingUpload(index: number, round: string): Line {
  const filename = `${String.fromCodePoint(97 + (index % 26))} ${round}`;
  return { upload: { uploadId: `fleeting-${index}`, path: "/", filename, sizeBytes: index % 20 } };
}
