/** Trees while another connection writes: every answer shows the data of one moment. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Rollup, Tree, TreeNode } from "./model/messages.ts";
import { randomBucket, seed } from "./samples/random-bucket.ts";
import { bucketIds, bucketLine, callers } from "./samples/tenants.ts";
import { type Deployment, deploy } from "./testing/deployment.ts";
import { listFolderTree } from "./testing/json-caller.ts";
import { connectOtherWriter } from "./testing/other-writer.ts";

describe(`trees while others write (seed ${seed})`, () => {
  let deployment: Deployment;
  before(async () => {
    const lines = randomBucket({ seed, folders: 60, uploads: 600 });
    deployment = await deploy({ lines: [bucketLine("primary"), ...lines] });
  });
  after(() => deployment?.close());

  it("have totals equal to the sums of the listed uploads", async () => {
    const writer = await connectOtherWriter(deployment.databaseUrl, bucketIds.primary);
    let isOver = false;
    const writing = (async () => {
      while (!isOver) await writer.writeSomething();
    })();
    try {
      const request = { includeUploads: true, includeRollups: true };
      for (let round = 0; round < 60; round++) {
        const tree = await listFolderTree(deployment, callers.reader, request);
        if ("error" in tree) assert.fail(tree.text);
        assertTotals(tree);
      }
    } finally {
      isOver = true;
      await writing;
      await writer.close();
    }
  });
});

function assertTotals(node: Tree | TreeNode): Pick<Rollup, "uploadCount" | "sizeBytes"> {
  const own = { uploadCount: node.uploads.length, sizeBytes: 0 };
  for (const { sizeBytes } of node.uploads) own.sizeBytes += sizeBytes;
  const subtree = { ...own };
  for (const child of node.children) {
    const { uploadCount, sizeBytes } = assertTotals(child);
    subtree.uploadCount += uploadCount;
    subtree.sizeBytes += sizeBytes;
  }
  assert.deepEqual(node.rollup, {
    ...own,
    subtreeUploadCount: subtree.uploadCount,
    subtreeSizeBytes: subtree.sizeBytes,
  });
  return subtree;
}
