/** ListBuckets: which buckets a caller sees, with totals that equal what lists give. */
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { makeTemporaryFolder } from "@stowage/process/testing";
import type { Caller } from "./model/caller.ts";
import { secretLines } from "./samples/secrets.ts";
import { bucketLine, callers } from "./samples/tenants.ts";
import { type Deployment, deploy } from "./testing/deployment.ts";
import { callJson } from "./testing/json-caller.ts";
import { mirrorDirectory } from "./testing/mirrored-directory.ts";

const path = "/stowage.v1.BucketsService/ListBuckets";

interface Bucket {
  readonly bucketId: string;
  readonly hostname: string;
  readonly uploadCount: number;
  readonly sizeBytes: number;
  readonly sources: readonly Record<string, string>[];
}

describe("ListBuckets", () => {
  let deployment: Deployment;
  before(async () => {
    deployment = await deploy({ lines: [...secretLines, bucketLine("second")] });
  });
  after(() => deployment?.close());

  async function call<Answer>(caller: Caller, body: object, callPath = path): Promise<Answer> {
    const token = deployment.issuer.mint(caller);
    const { status, text } = await callJson(deployment.url, { path: callPath, body, token });
    assert.equal(status, 200, text);
    return JSON.parse(text) as Answer;
  }

  async function allOf(caller: Caller, pageSize: number): Promise<Bucket[]> {
    const buckets: Bucket[] = [];
    let cursor = "";
    do {
      const page: { buckets: Bucket[]; nextCursor: string } = await call(caller, {
        pageSize,
        cursor,
      });
      assert.ok(page.buckets.length <= pageSize);
      buckets.push(...page.buckets);
      cursor = page.nextCursor;
    } while (cursor !== "");
    return buckets;
  }

  for (const [name, caller] of Object.entries(callers)) {
    it(`gives ${name} every bucket that it may read, with what lists give of it`, async () => {
      const buckets = await allOf(caller, 1000);
      const hostnames = buckets.map(({ hostname }) => hostname);
      assert.deepEqual(hostnames, hostnames.toSorted());
      assert.deepEqual(await allOf(caller, 1), buckets);
      for (const { bucketId, uploadCount, sizeBytes } of buckets) {
        const body = { bucketRef: { bucketId }, pageSize: 1000 };
        const { uploads }: { uploads: { sizeBytes: number }[] } = await call(
          caller,
          body,
          "/svc.api.v1.BucketUploadsService/ListUploads",
        );
        const bytes = uploads.reduce((sum, upload) => sum + upload.sizeBytes, 0);
        assert.deepEqual([uploadCount, sizeBytes], [uploads.length, bytes], bucketId);
      }
    });
  }

  it("leaves out buckets that the token does not grant", async () => {
    const [first] = await allOf(callers.reader, 1000);
    assert.ok(first);
    const details = [{ type: "bucket", actions: ["read"], identifier: first.bucketId }];
    const granted = await allOf({ ...callers.reader, authorizationDetails: details }, 1000);
    assert.deepEqual(granted, [first]);
  });

  it("refuses the cursor of another list, and a wrong page size", async () => {
    const { nextCursor }: { nextCursor: string } = await call(callers.reader, { pageSize: 1 });
    const other = deployment.issuer.mint({ ...callers.reader, organisationId: "another" });
    for (const [token, body, message] of [
      [other, { cursor: nextCursor }, /does not belong to this query/],
      [other, { pageSize: 1001 }, /pageSize: is 1001/],
    ] as const) {
      const { status, text } = await callJson(deployment.url, { path, body, token });
      assert.equal(status, 400);
      assert.match(text, message);
    }
  });

  it("gives the sources of a bucket, but for those in folders that are not granted", async () => {
    const folder = await makeTemporaryFolder();
    try {
      await writeFile(join(folder.path, "file"), "content");
      await mirrorDirectory(deployment.databaseUrl, folder.path, "mirror.example.com");
      const owner = { organisationId: "owner", clientId: "reader" };
      const [bucket] = await allOf(owner, 1);
      const [source] = bucket?.sources ?? [];
      assert.deepEqual(
        [source?.name, source?.kind, source?.path, source?.state, source?.message],
        ["files", "SOURCE_KIND_DIRECTORY", "/", "SOURCE_STATE_IDLE", ""],
      );
      assert.equal(source?.completeness, "SOURCE_COMPLETENESS_COMPLETE");
      const { completeAsOf = "" } = source;
      assert.ok(Date.parse(completeAsOf) <= Date.now());
      for (const operation of [
        "BucketUploadsService/ListUploads",
        "BucketFoldersService/ListFolderTree",
      ]) {
        const body = { bucketRef: { bucketId: bucket?.bucketId } };
        const answer = await call<Record<string, unknown>>(owner, body, `/svc.api.v1.${operation}`);
        assert.deepEqual([answer.completeAsOf, answer.isPartial], [completeAsOf, false], operation);
      }
    } finally {
      await folder.remove();
    }
  });
});
