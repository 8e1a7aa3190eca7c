/** ListFolderTree over random folders. Every node is compared with the model. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { randomCases } from "@stowage/process/testing";
import fc from "fast-check";
import type { ListFolderTreeRequest } from "./model/list-folder-tree.ts";
import type { TreeNode } from "./model/messages.ts";
import { readRecords } from "./model/records.ts";
import { randomBucket, seed } from "./samples/random-bucket.ts";
import { bucketLine, callers, integrationLines } from "./samples/tenants.ts";
import { treeRequests } from "./samples/tree-requests.ts";
import { type Deployment, deploy } from "./testing/deployment.ts";
import { listFolderTree } from "./testing/json-caller.ts";
import { assertTreeLikeModel } from "./testing/like-model.ts";

const filterRules: readonly ListFolderTreeRequest[] = [
  { pathFilter: { contains: "a" } },
  { uploadFilter: { contains: "a" } },
  { pathFilter: { contains: "a" }, uploadFilter: { contains: "e" } },
  { pathFilter: { prefix: "/" }, uploadFilter: { glob: "*.pdf" } },
  { pathFilter: { glob: "*/*/*" }, uploadFilter: { prefix: "\u03a3" } },
  { uploadFilter: { equals: "CAF\u00c9" } },
  { uploadFilter: { equals: "CAF\u00c9", caseSensitive: true } },
  {},
];

const options: readonly ListFolderTreeRequest[] = [
  {},
  { includeUploads: true },
  { onlyMatches: true },
  { includeUploads: true, onlyMatches: true, includeRollups: true },
  { includeUploads: true, maxDepth: 1 },
  { includeUploads: true, onlyMatches: true, maxDepth: 2, includeRollups: true },
];

describe(`trees of random folders (seed ${seed})`, () => {
  const lines = [
    bucketLine("primary"),
    ...integrationLines,
    ...randomBucket({ seed, folders: 250, uploads: 900 }),
    bucketLine("second"),
    ...randomBucket({ seed, folders: 10, uploads: 20 }),
  ];
  const buckets = readRecords(lines);
  const [primary] = buckets;
  if (!primary) throw new Error("the sample has a bucket");

  let deployment: Deployment;
  before(async () => {
    deployment = await deploy({ lines });
  });
  after(() => deployment?.close());

  const check = (request: ListFolderTreeRequest, caller = callers.reader) =>
    assertTreeLikeModel(deployment, buckets, caller, request);

  it("are complete for an empty request", () => check({}));

  it("apply every rule of the filters with every option", async () => {
    for (const rules of filterRules) {
      for (const option of options) await check({ ...rules, ...option });
    }
  });

  it("have no match for a caller who searches for an upload that is hidden", async () => {
    const hidden = primary.uploads.filter(({ integrationHidden }) => integrationHidden);
    for (const { filename } of hidden.slice(0, 50)) {
      await check({ uploadFilter: { equals: filename } });
    }
  });

  it("are right for random requests of every caller", () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom(callers.reader, callers.notes, callers.scans),
        treeRequests(primary),
        (caller, request) => check(request, caller),
      ),
      { seed, numRuns: randomCases(300) },
    ));

  it("can be requested by any folder ID of a tree", async () => {
    const tree = await listFolderTree(deployment, callers.reader, {});
    assert.ok(!("error" in tree));
    for (const { folder, children } of allNodes(tree.children).slice(0, 100)) {
      const request = { folder: { folderId: folder.folderId } };
      const below = await listFolderTree(deployment, callers.reader, request);
      assert.ok(!("error" in below));
      assert.deepEqual(below.children, children);
    }
  });
});

function allNodes(nodes: readonly TreeNode[]): TreeNode[] {
  return nodes.flatMap((node) => [node, ...allNodes(node.children)]);
}
