/** The limits in settings: a request beyond one fails as a whole. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Line } from "./model/records.ts";
import { bucketIds, bucketLine, callers, ownOrganisation } from "./samples/tenants.ts";
import { lockTables } from "./testing/database-activity.ts";
import { type Deployment, deploy } from "./testing/deployment.ts";
import { callJson, listFolderTree, listUploadsPath, readError } from "./testing/json-caller.ts";

const thirdId = "0b5c1d9e-3a58-4a5e-9c0e-1f1f4a6f0005";
const most = Number.MAX_SAFE_INTEGER;

describe("limits", () => {
  const lines: Line[] = [
    bucketLine("primary"),
    // 12 folders, 4 of them at the top, and 6 uploads.
    ...["/a/1", "/a/2", "/b/1", "/b/2", "/c/1", "/c/2/3", "/d"].map(
      (path): Line => ({ folder: { path } }),
    ),
    ...Array.from({ length: 6 }, (_, index) => ({
      upload: { path: "/d", filename: `file ${index}`, sizeBytes: 1 },
    })),
    bucketLine("second"),
    { upload: { path: "/full/one", filename: "most", sizeBytes: most } },
    { upload: { path: "/full/two", filename: "nothing", sizeBytes: 0 } },
    {
      bucket: { bucketId: thirdId, hostname: "third.example.com", organisationId: ownOrganisation },
    },
    ...Array.from({ length: 13 }, (_, index) => ({ folder: { path: `/folders/${index}` } })),
    ...Array.from({ length: 13 }, (_, index) => ({
      upload: { path: "/uploads", filename: `${index}`, sizeBytes: 1, integrationHidden: !index },
    })),
  ];

  let deployment: Deployment;
  before(async () => {
    const environment = { TREE_NODES_MAX: "12", TIMEOUT_MAX_MS: "1500" };
    deployment = await deploy({ lines, environment });
  });
  after(() => deployment?.close());

  const answerTo = async (request: object) => {
    const answer = await listFolderTree(deployment, callers.reader, request);
    if (!("error" in answer)) return "a tree";
    const { status, code, reason } = answer.error;
    assert.deepEqual([status, code], [429, "resource_exhausted"]);
    return reason;
  };

  it("apply to the number of folders and uploads in a tree", async () => {
    assert.equal(await answerTo({}), "a tree");
    assert.equal(await answerTo({ includeUploads: true }), "TREE_TOO_LARGE");
    assert.equal(await answerTo({ includeUploads: true, folder: { path: "/d" } }), "a tree");
    assert.equal(await answerTo({ includeUploads: true, pathFilter: { equals: "/d" } }), "a tree");
    assert.equal(await answerTo({ includeUploads: true, maxDepth: 1 }), "a tree");
    assert.equal(
      await answerTo({
        includeUploads: true,
        uploadFilter: { equals: "file 1" },
        onlyMatches: true,
      }),
      "a tree",
    );
  });

  it("allow a tree of just that size, and hidden uploads beside it", async () => {
    const third = { bucketRef: { bucketId: thirdId }, includeUploads: true };
    assert.equal(await answerTo({ ...third, folder: { path: "/folders" } }), "TREE_TOO_LARGE");
    assert.equal(await answerTo({ ...third, folder: { path: "/uploads" } }), "a tree");
  });

  it("allow the largest total of bytes that a bucket may have", async () => {
    const second = { bucketRef: { bucketId: bucketIds.second }, includeRollups: true };
    assert.equal(await answerTo(second), "a tree");
    assert.equal(await answerTo({ ...second, maxDepth: 1 }), "a tree");
  });

  it("apply to time, also if the caller gives no deadline or a later one", async () => {
    const tables = await lockTables(deployment.databaseUrl);
    try {
      for (const timeoutMs of [undefined, "60000", "9999999999"]) {
        const started = performance.now();
        const headers = { "connect-timeout-ms": timeoutMs };
        const token = deployment.issuer.mint(callers.reader);
        const answer = await callJson(deployment.url, { path: listUploadsPath, headers, token });
        assert.equal(readError(answer).error.code, "deadline_exceeded");
        assert.ok(performance.now() - started >= 1450, "the caller got the server's own time");
      }
    } finally {
      await tables.unlock();
    }
  });
});
