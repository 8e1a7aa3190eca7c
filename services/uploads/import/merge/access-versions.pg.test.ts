import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { TestDatabase } from "@stowage/process/testing";
import { bucketLine, createUploadsDatabase, importLines, select } from "../testing/import.ts";

const bucketId = "00000000-0000-4000-8000-000000000001";
const otherBucketId = "00000000-0000-4000-8000-000000000002";
const integrationId = "00000000-0000-4000-8000-00000000000a";
const otherIntegrationId = "00000000-0000-4000-8000-00000000000b";

let database: TestDatabase;
before(async () => {
  database = await createUploadsDatabase();
});
after(() => database.drop());

async function versionOf(bucket: string): Promise<bigint> {
  const [row] = await select<{ version: string }>(
    database.databaseUrl,
    "select version from uploads.access_versions where bucket_id = $1",
    [bucket],
  );
  return BigInt(row?.version ?? 0);
}

async function load(...lines: unknown[]): Promise<void> {
  const { errors } = await importLines(database.databaseUrl, [bucketLine(bucketId), ...lines]);
  assert.equal(errors, "");
}

const integration = (members: object = {}) => ({ integration: { integrationId, ...members } });
const folder = (path: string, members: object = {}) => ({ folder: { path, ...members } });
const hidden = { integrationHidden: true, scopingIntegrationId: integrationId };
const upload = { path: "/a", filename: "a.txt", sizeBytes: 1 };

describe("the access version of a bucket", () => {
  const changes: [what: string, lines: unknown[]][] = [
    ["an integration is made", [integration({ oauthClientId: "client" })]],
    ["an integration is another client's", [integration({ oauthClientId: "other" })]],
    ["an integration has another name", [integration({ name: "Photos" })]],
    ["a hidden folder is made", [folder("/h", hidden)]],
    ["a folder is hidden", [folder("/a", hidden)]],
    [
      "a hidden folder gets another integration",
      [folder("/h", { ...hidden, scopingIntegrationId: otherIntegrationId })],
    ],
    ["a hidden folder gets no integration", [folder("/h", { integrationHidden: true })]],
    ["a hidden folder is shown", [folder("/h")]],
    ["the first upload is hidden", [{ upload: { ...upload, integrationHidden: true } }]],
    ["no upload is hidden any more", [{ upload }]],
  ];
  it(`is higher once ${changes.map(([what]) => what).join(", or ")}`, async () => {
    await load(folder("/a"), { upload });
    for (const [what, lines] of changes) {
      const known = await versionOf(bucketId);
      await load(...lines);
      assert.ok((await versionOf(bucketId)) > known, what);
    }
  });

  it("is higher after a hidden folder moves to another path", async () => {
    const folderId = "00000000-0000-4000-8000-0000000000f0";
    await load(folder("/move", { ...hidden, folderId }));
    const known = await versionOf(bucketId);
    await load(folder("/moved", { ...hidden, folderId }));
    assert.ok((await versionOf(bucketId)) > known);
  });

  it("stays if anything else changes, and if nothing changes", async () => {
    const hiddenUpload = { ...upload, path: "/same", integrationHidden: true, integrationId };
    await load(integration({ name: "same" }), folder("/same", hidden), { upload: hiddenUpload });
    const known = await versionOf(bucketId);
    await load(
      integration({ name: "same" }),
      folder("/same", hidden),
      folder("/plain", { colour: "red", scopingIntegrationId: integrationId }),
      { upload: { ...hiddenUpload, path: "/new" } },
    );
    assert.equal(await versionOf(bucketId), known);
  });

  it("does not change with imports into other buckets", async () => {
    const known = await versionOf(bucketId);
    await load(bucketLine(otherBucketId), folder("/h", hidden));
    assert.equal(await versionOf(bucketId), known);
    assert.ok((await versionOf(otherBucketId)) > 0n);
  });

  it("grows even after the clock was set back", async () => {
    const later = 9_000_000_000_000_000n;
    await select(
      database.databaseUrl,
      "update uploads.access_versions set version = $2 where bucket_id = $1",
      [bucketId, later],
    );
    await load(folder("/clock", hidden));
    assert.equal(await versionOf(bucketId), later + 1n);
  });
});
