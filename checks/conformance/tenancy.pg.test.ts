/** Hidden things appear nowhere: in no list, tree, total, cursor or error. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Caller } from "./model/caller.ts";
import { readRecords } from "./model/records.ts";
import { hushedWord, secretLines } from "./samples/secrets.ts";
import { bucketIds, callers, ownOrganisation } from "./samples/tenants.ts";
import { type Deployment, deploy } from "./testing/deployment.ts";
import {
  callJson,
  type JsonCall,
  listFolderTreePath,
  listUploadsPath,
} from "./testing/json-caller.ts";
import { assertListsLikeModel, assertTreeLikeModel } from "./testing/like-model.ts";

const ungranted: Caller = {
  ...callers.reader,
  authorizationDetails: [{ type: "bucket", actions: ["read"], identifier: bucketIds.nowhere }],
};

describe("what a caller may not see", () => {
  const buckets = readRecords(secretLines);

  let deployment: Deployment;
  before(async () => {
    deployment = await deploy({ lines: secretLines });
  });
  after(() => deployment?.close());

  const call = (caller: Caller, call: JsonCall) =>
    callJson(deployment.url, { ...call, token: deployment.issuer.mint(caller) });

  for (const path of [listUploadsPath, listFolderTreePath]) {
    it(`causes the same error for every reason, by ${path}`, async () => {
      const refusals: [Caller, object][] = [
        [callers.reader, { bucketRef: { bucketId: bucketIds.nowhere } }],
        [callers.reader, { bucketRef: { bucketId: bucketIds.foreign } }],
        [callers.reader, { bucketRef: { hostname: "foreign.example.com" } }],
        [callers.reader, { bucketRef: { hostname: "nowhere.example.com" } }],
        [callers.homeless, { bucketRef: { bucketId: bucketIds.primary } }],
        [callers.homeless, {}],
        [callers.stranger, { bucketRef: { bucketId: bucketIds.primary } }],
        [{ ...callers.reader, organisationId: "organisation-empty" }, {}],
        [{ ...callers.reader, organisationId: "\0" }, {}],
        [{ ...callers.reader, clientId: "\0" }, {}],
        [ungranted, { bucketRef: { bucketId: bucketIds.primary } }],
        [ungranted, { bucketRef: { hostname: "primary.example.com" } }],
        [ungranted, {}],
      ];
      const bodies = new Set<string>();
      for (const [caller, body] of refusals) {
        const { status, text } = await call(caller, { path, body });
        assert.equal(status, 404, JSON.stringify(body));
        bodies.add(text);
      }
      assert.equal(bodies.size, 1, [...bodies].join("\n"));
    });
  }

  it("is, as a folder, the same as one that does not exist", async () => {
    const withLocation: Caller = {
      ...callers.reader,
      authorizationDetails: [{ type: "bucket", actions: ["read"], locations: ["/open"] }],
    };
    const bodies = new Set<string>();
    for (const [caller, folder] of [
      [callers.reader, { path: "/none such" }],
      [callers.reader, { path: `/${hushedWord}` }],
      [callers.reader, { path: `/${hushedWord}/inside` }],
      [callers.reader, { folderId: "f01de400-0000-4000-8000-000000000001" }],
      [callers.reader, { folderId: "f01de400-0000-4000-8000-0000000000ff" }],
      [callers.scans, { path: `/${hushedWord}/inside` }],
      [withLocation, { path: "/beside" }],
      [withLocation, { path: "/none such" }],
    ] satisfies [Caller, object][]) {
      const { status, text } = await call(caller, { path: listFolderTreePath, body: { folder } });
      assert.equal(status, 404, JSON.stringify(folder));
      bodies.add(text);
    }
    assert.equal(bodies.size, 1, [...bodies].join("\n"));
  });

  it("appears in no answer to any request", async () => {
    const filter = { contains: hushedWord.slice(0, 3) };
    const requests: [string, object][] = [
      ...["created_at", "updated_at", "filename", "size_bytes", "order"].flatMap((sortBy) =>
        [{}, { pageSize: 1 }, { search: hushedWord }, { tags: { anyOf: [hushedWord] } }].map(
          (body): [string, object] => [listUploadsPath, { sortBy, ...body }],
        ),
      ),
      [listUploadsPath, { path: `/${hushedWord}`, recursive: true }],
      [listFolderTreePath, { includeUploads: true, includeRollups: true }],
      [listFolderTreePath, { pathFilter: filter, includeUploads: true }],
      [listFolderTreePath, { uploadFilter: filter, onlyMatches: true }],
      [listFolderTreePath, { uploadFilter: filter, includeUploads: true, includeRollups: true }],
    ];
    for (const [path, body] of requests) {
      const { status, text } = await call(callers.reader, { path, body });
      assert.equal(status, 200);
      const { nextCursor = "" } = JSON.parse(text) as { nextCursor?: string };
      const all = text + Buffer.from(nextCursor, "base64url").toString("latin1");
      assert.ok(!all.includes(hushedWord), `${path} ${JSON.stringify(body)}: ${all}`);
    }
  });

  it("changes no list, tree, match or total", async () => {
    const rules = { uploadFilter: { contains: hushedWord }, includeRollups: true };
    for (const caller of [callers.reader, callers.notes, callers.scans]) {
      await assertListsLikeModel(deployment, buckets, caller, {});
      await assertTreeLikeModel(deployment, buckets, caller, { includeRollups: true });
      await assertTreeLikeModel(deployment, buckets, caller, rules);
      await assertTreeLikeModel(deployment, buckets, caller, { ...rules, onlyMatches: true });
      await assertTreeLikeModel(deployment, buckets, caller, { ...rules, includeUploads: true });
    }
  });

  it("is visible to the integration's client, but not to its namesake elsewhere", async () => {
    const { text } = await call(callers.notes, { body: { path: `/${hushedWord}` } });
    assert.ok(text.includes(`${hushedWord} in the hidden folder`));
    const elsewhere = { ...callers.stranger, clientId: callers.notes.clientId };
    const { status } = await call(elsewhere, {
      body: { bucketRef: { bucketId: bucketIds.primary } },
    });
    assert.equal(status, 404);
  });

  it("needs the client of every hidden folder above", async () => {
    const both = `/${hushedWord}/inside`;
    for (const caller of [callers.notes, callers.scans, callers.reader]) {
      const { text } = await call(caller, { body: { path: both } });
      assert.equal(text, '{"uploads":[],"nextCursor":"","isPartial":false}');
    }
  });

  it("includes the primary bucket of another organisation", async () => {
    const { text: own } = await call({ ...callers.reader, organisationId: ownOrganisation }, {});
    assert.ok(own.includes("/open"));
    const { text: foreign } = await call(callers.stranger, {});
    assert.ok(foreign.includes(`${hushedWord} of others`) && !foreign.includes("/open"));
  });
});
